"""The rows of the published files, and where they lie. What is known of them is what its scripts say: `README.md`, `src/evaluate.py` and `src/prepare.py` of LingmaTongyi/Codev-Bench."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from corpora.codev.samples import BlockType
from corpora.codev.scenes import SceneKind
from corpora.evaluation_options import Scenario

ROOT = "/mnt/coai_nas/qianhu/github/completion_benchmark/"
"""The folder that published paths begin with; its scripts put their own main folder in its place."""
SOURCES, COPIES, PROMPTS, METADATA = "Source_Code", "Source_Code_Copy", "prompts", "metadatas"
BLOCK_TABLE = f"{METADATA}/test_file_cosine.output.csv"
UNIT_TESTS = "test_metadata_funcname_passed_called.jsonl"
LOCK = "ghosttape_tests.json"
"""Beside the unit tests: how the repository is tested, in the words of a tape. Ours alone; published data have none."""
REQUIREMENTS = "true_requirements.txt"
"""In a repository: what the published `create_env.sh` installs there."""
PARTS: Mapping[str, tuple[Scenario, SceneKind]] = MappingProxyType(
    {
        "prefix_suffix_full_complete_current_block_no_evidence": (1, "full"),
        "complete_current_header_inner_block_completion": (2, "inner"),
        "complete_current_header_empty_completion": (2, "empty"),
        "prefix_full_suffix_func_empty_complete_current_block_no_evidence": (3, "rest-of-function-gone"),
        "prefix_full_suffix_empty_complete_current_block_no_evidence": (3, "rest-of-file-gone"),
        "prefix_suffix_full_complete_current_block_with_repo_rag_oracle": (4, "full"),
    }
)
"""Name of a file of prompts, which is a `--mode` of the scripts → the scenario and the sub-case (the README's section "Prompts")."""


class PromptRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `prompts/MODE.jsonl`: a block as it is asked about, and the unit tests that judge the answer."""

    func_name: str
    """The function around the block: `ROOT/Source_Code/REPO/PATH#L4-L9`, lines from 1."""
    item_dids: list[str]
    """The names of unit tests (`UnitTestRow.did`); the scripts read the next member alone."""
    unit_test_ids: list[str]
    block_key: str
    """The block, in the form of `func_name`."""
    block_type: BlockType
    prompt: str
    """`<filename>…<fim_prefix>…<fim_suffix>…<fim_middle>…`, the ground truth at the end."""
    prefix: str
    """What the model sees before the cursor."""
    suffix: str
    """What it sees behind it."""
    middle: str
    test_prefix: str
    """The file before the block, as it is tested."""
    test_suffix: str
    """The file behind the block likewise, with what the model does not see. `evaluate.py` does not read it."""
    test_middle: str
    name: str = ""
    """Ours: the name of the scene; published rows have none."""
    emptied: str | None = None
    """Ours: what stands there when the block is gone; None: the least that grammar demands."""


class UnitTestRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a repository's `UNIT_TESTS`: a test that passes."""

    did: str
    """Its name in the rows of prompts."""
    run_command: str
    """A shell command that runs it alone; the scripts append `--timeout=120 --timeout_method=thread` (pytest-timeout) and read pytest's last line."""
    relative_path: str
    """Its file, in the repository."""
    func_path: str
    """Its name in that file. Example: `TestIndex::test_search`."""

    @property
    def node_id(self) -> str:
        """The name that pytest gives it."""
        return f"{self.relative_path}::{self.func_path}"

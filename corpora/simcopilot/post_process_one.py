"""Run SimCopilot's post-processor on one answer. This file is laid out in the sandbox, beside `order.json`, and imports nothing of ghosttape.

`SCRIPT` in the environment names the folder that has `helper_functions`. The last line of the output is JSON: stage → text.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType

_STUBS = (
    "openai",
    "together",
    "transformers",
    "tiktoken",
    "helper_functions.HF_models",
    "helper_functions.Anthropic_models",
)
"""Modules that the script imports to ask models: nothing of them is used."""
_NAMES = ("OpenAI", "Together", "pipeline", "num_tokens_from_HF_models", "get_response_from_HF_models", "model_context", "truncate_input", "anthropic_models_gen")  # fmt: skip


def _import_script() -> ModuleType:
    for name in _STUBS:
        sys.modules[name] = ModuleType(name)
        for wanted in _NAMES:
            setattr(sys.modules[name], wanted, lambda *_, **__: None)
    sys.path.insert(0, os.environ["SCRIPT"])
    from helper_functions import LLMs_gen  # type: ignore[import-not-found]

    assert isinstance(LLMs_gen, ModuleType)
    return LLMs_gen


def main() -> None:
    """Read the order, run the script's function, and print what it made."""
    order = json.loads(Path("order.json").read_text("utf-8"))
    script = _import_script()
    found, _ = script.post_process_gen_code(order["text"], order["before"], order["after"], order["language"])
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()

"""A path that no document has is refused before anything is played."""

import pytest

from corpora.demo.bundled import demo_tapes
from replay.errors import ReplayError
from replay.run.sources.tape_source import check_paths
from replay.tapes import tape as tape_files

TAPES = [tape_files.read(path) for path in demo_tapes()]


@pytest.mark.parametrize("paths", [(), ("ledger",), ("src/query.js", "ledger/budget.py")])
def test_a_path_of_any_tape_is_taken(paths):
    check_paths(TAPES, paths)


def test_a_path_of_none_is_refused_with_one_that_is_near():
    with pytest.raises(ReplayError, match=r"--path src/quer\.js: no document .* \(did you mean 'src/query\.js'\?\)"):
        check_paths(TAPES, ["ledger", "src/quer.js"])


def test_where_none_is_near_documents_are_named():
    with pytest.raises(ReplayError, match=r"they have README\.md, ledger/budget\.py"):
        check_paths(TAPES, ["zzz"])


def test_no_tape_has_no_document():
    with pytest.raises(ReplayError, match=r"begins with it$"):
        check_paths([], ["a.py"])

from itertools import pairwise

import grimp
import pytest

from tools.changed import ROOT, chosen, imports, mirrors

PACKAGES = ("syntax", "server", "runners", "replay", "corpora", "tui", "tools")


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph(*PACKAGES, cache_dir=str(ROOT / ".import_linter_cache"))


def test_imports_are_read_in_every_form():
    source = "import a.b\nfrom c import d, e as f\nfrom g.h import (\n    i,\n)\ndef late():\n    from j import k\n"
    assert {"a.b", "c", "c.d", "c.e", "g.h", "j", "j.k"} <= set(imports(source))


def test_a_changed_test_comes_first_and_the_tests_of_the_command_line_come_last(graph):
    changed = ["tests/tui/test_model.py", "syntax/text.py"]
    tests, _ = chosen(changed, graph)
    assert tests[0] == changed[0]
    late = [test.startswith(("tests/real", "tests/performance")) for test in tests[1:]]
    assert sum(one != other for one, other in pairwise(late)) <= 3  # once for each distance


def test_a_changed_module_chooses_the_tests_that_import_it_and_the_folder_that_mirrors_its_own(graph):
    tests, left_out = chosen(["server/repair/steps/stop.py"], graph)
    assert set(tests) >= {
        f"tests/server/repair/{path.name}" for path in (ROOT / "tests/server/repair").glob("test_*.py")
    }
    assert "tests/tui/test_model.py" not in tests
    assert left_out > 100


def test_a_changed_page_chooses_the_tests_that_read_it(graph):
    tests, _ = chosen(["docs/policies.md"], graph)
    assert "tests/tools/test_policy_tables.py" in tests
    assert len(tests) <= 5


def test_nothing_changed_chooses_nothing(graph):
    assert chosen([], graph)[0] == []


def test_the_mirror_of_a_folder_without_tests_is_the_nearest_above_it():
    assert mirrors("server/repair/steps/stop.py") == "tests/server/repair"
    assert mirrors("server/no/such/room.py") == "tests/server"

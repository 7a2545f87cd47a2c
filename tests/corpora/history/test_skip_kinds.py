"""Commits that are no work on tested code are left out, with the kind of their reason."""

import pytest

from corpora.history import SKIP_WORDS
from replay.tapes import tape
from tests.support.history_requests import imported_tapes

CODE = "def area(width, height):\n    return width * height\n"
LOOKS = "# of a rectangle\ndef area( width,\n         height ):\n    # in square metres\n    return width * height\n"
OTHER = CODE.replace("*", "+")
FIRST = {
    "src/area.py": CODE,
    "tests/test_area.py": CODE,
    "README.md": "# Areas\n",
    "setup.py": "import setuptools\n",
    "web/vite.config.ts": "export default {}\n",
    "docs/conf.py": "x = 1\n",
    "main.kt": "puts 1\n",
    "uv.lock": "version = 1\n",
    "vendor/area.js": "f()\n",
    "gen.py": "# @generated\nx = 1\n",
    "data.py": b"\0\1",
}


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        (None, {"src/area.py": OTHER}),
        (None, {"src/new.ts": "let x = 1;\n"}),
        (None, {"src/area.py": OTHER, "README.md": "# A\n", "tests/test_area.py": OTHER}),
        (None, {"src/conf.py": "x = 2\n"}),
        ("tests", {"tests/test_area.py": OTHER}),
        ("tests", {"tests/test_area.py": OTHER, "README.md": "# A\n", "uv.lock": "version = 2\n"}),
        ("text", {"README.md": "# A\n"}),
        ("text", {"main.kt": "puts 2\n"}),
        ("text", {"setup.py": "import os\n", "web/vite.config.ts": "export default {a: 1}\n", "docs/conf.py": "x = 2\n"}),
        ("text", {"README.md": "# A\n", "uv.lock": "version = 2\n"}),
        ("generated", {"uv.lock": "version = 2\n"}),
        ("generated", {"vendor/area.js": "g()\n"}),
        ("generated", {"gen.py": "# @generated\nx = 2\n"}),
        ("formatting", {"src/area.py": LOOKS}),
        ("formatting", {"src/area.py": LOOKS, "tests/test_area.py": OTHER, "README.md": "# A\n"}),
        ("nothing", {"data.py": b"\0\2"}),
        ("nothing", {}),
        ("nothing", {"empty.py": ""}),
    ],
)  # fmt: skip
def test_a_commit_is_typed_only_if_it_changes_code_that_is_no_test(make_repo, tmp_path, kind, files):
    made = make_repo(tmp_path / "areas")
    made.commit("first", FIRST)
    made.commit("second", files)
    report = imported_tapes(made.path, "HEAD~1..HEAD", 0, tmp_path / "out")
    assert report.reasons == ({kind: 1} if kind else {})
    assert len(report.tapes) == (kind is None)
    assert all(each.reason.startswith(SKIP_WORDS[each.kind]) for each in report.skipped)


def test_renames_and_deletions_are_no_work_on_code(make_repo, tmp_path):
    made = make_repo(tmp_path / "areas")
    made.commit("first", FIRST)
    made.git("mv", "src/area.py", "src/surface.py")
    made.commit("renamed")
    made.commit("gone", {}, "gen.py")
    made.git("mv", "src/surface.py", "src/plane.py")
    made.commit("renamed and changed", {"src/plane.py": OTHER})
    report = imported_tapes(made.path, "HEAD~3..HEAD", 0, tmp_path / "out")
    assert [(each.kind, each.subject) for each in report.skipped] == [("renames", "renamed"), ("deletions", "gone")]
    assert [each.subject for each in report.tapes] == ["renamed and changed"]


def test_a_commit_of_code_types_its_documentation_and_tests_too(make_repo, tmp_path):
    made = make_repo(tmp_path / "areas")
    made.commit("first", FIRST)
    made.commit("second", {"src/area.py": OTHER, "README.md": "# A\n", "tests/test_area.py": OTHER})
    report = imported_tapes(made.path, "HEAD", 0, tmp_path / "out")
    opened = {event.path for event in tape.read(tmp_path / report.tapes[0].tape).events if isinstance(event, tape.Open)}
    assert opened == {"src/area.py", "README.md", "tests/test_area.py"}


def test_a_commit_that_is_left_out_by_its_paths_needs_no_text_of_a_partial_clone(make_repo, tmp_path):
    made = make_repo(tmp_path / "areas")
    made.commit("first", FIRST)
    made.commit("words", {"README.md": "# A\n"})
    made.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    made.git("clone", "-q", "--no-checkout", "--filter=blob:none", made.path.as_uri(), str(clone))
    report = imported_tapes(clone, "HEAD~1..HEAD", 0, tmp_path / "out")
    assert report.reasons == {"text": 1}

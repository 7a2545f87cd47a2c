"""Commits of a repository become tapes whose documents end in the commit, byte for byte."""

import itertools
import os
import random
import subprocess

import msgspec
import pytest
from scipy.stats import ks_2samp

from corpora.errors import HistoryError
from corpora.history import import_history
from corpora.history.distributions import Share, named_distributions
from corpora.history.measure import gaps
from replay import tape
from replay.documents import verify
from replay.projects import starting_files

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2024-03-01T10:00:00+01:00",
    "GIT_COMMITTER_DATE": "2024-03-01T10:00:00+01:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
AREA = "def area(width, height):\n    doubled = width * height\n    return doubled // 1\n"
WORDS = ["parse", "render", "merge", "reorder", "validate", "inspect", "collect", "balance", "resolve", "describe"]


def prose(number):
    """A module that resembles no other: the words that name things are drawn."""
    chance = random.Random(number)
    lines = []
    for _ in range(14):
        one, other, third = chance.sample(WORDS, 3)
        lines += [f"def {one}_{other}(entries, {third}=None):", f'    """{one.title()} the {other} of each {third}."""']
        lines += [
            f"    {third}s = [{other}(entry, {third!r}) for entry in entries]",
            f"    return {one}({third}s)",
            "",
            "",
        ]
    return "\n".join(lines)


class Repo:
    """A repository of the test's own."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.shas = {}

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.path,
            env=ENVIRONMENT,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def commit(self, name, files=(), *removed):
        for path, content in dict(files).items():
            (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            (self.path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        for path in removed:
            (self.path / path).unlink()
        self.git("add", "-A")
        return self.done(name)

    def done(self, name, *arguments):
        self.git("commit", "-q", "--allow-empty", "-m", name, *arguments)
        self.shas[name] = self.git("rev-parse", "HEAD").decode().strip()

    def show(self, revision, path):
        return self.git("show", f"{revision}:{path}")

    def files(self, revision):
        return self.git("ls-tree", "-r", "-z", "--name-only", revision).decode("utf-8", "replace").split("\0")[:-1]


FIRST = {
    "pyproject.toml": '[project]\nname = "shapes"\n\n[dependency-groups]\ntests = ["pytest", "hypothesis>=6"]\n',
    "src/shapes/__init__.py": "",
    "src/shapes/calc.py": "import math\n\n\n" + AREA,
    "tests/test_calc.py": "from hypothesis import given\nfrom shapes.calc import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n",
    "data.bin": b"\0\1\2",
    "latin.txt": b"caf\xe9\n",
    "windows.txt": "one\r\ntwo\r\nthree\r\n",
    "bom.py": "\ufeffx = 1\n",
    "open.txt": "no end",
    "run.sh": "#!/bin/sh\n",
    "uv.lock": "version = 1\n",
    "gone.py": "y = 2\n",
    "README.md": "# Shapes\n\nAreas, and later more.\n",
    "kinds.txt": "a\r\nb\r\n",
}


@pytest.fixture(scope="session")
def repo(need, tmp_path_factory):
    need("git")
    made = Repo(tmp_path_factory.mktemp("history") / "shapes")
    (made.path / "link").symlink_to("README.md")
    made.commit("first", FIRST)
    calc = (
        "import math\n\n\n" + AREA.replace("// 1", "// 2") + "\n\ndef ring(radius):\n    return math.pi * radius**2\n"
    )
    made.commit("feature", {"src/shapes/calc.py": calc, "src/shapes/copied.py": "# Areas\n" + AREA})
    (made.path / "link").unlink()
    (made.path / "link").symlink_to("run.sh")
    (made.path / "run.sh").chmod(0o755)
    odd = {"data.bin": b"\0\3", "latin.txt": b"caf\xe9s\n", "uv.lock": "version = 2\n"}
    plain = {"windows.txt": "one\r\n2\r\nthree\r\nfour\r\n", "bom.py": "\ufeffx = 2\n", "open.txt": "no end yet"}
    made.commit("odd", odd | plain | {"kinds.txt": "a\nb\n", "größe 😀.py": "größe = '😀' + 'x'\n"})
    made.git("mv", "src/shapes/calc.py", "src/shapes/plane.py")
    made.git("mv", "README.md", "README.rst")
    made.commit("renamed", {"src/shapes/plane.py": calc.replace("ring", "disc")}, "gone.py")
    made.git("checkout", "-q", "-b", "side")
    made.commit("on the side", {"side.py": "z = 3\n"})
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    made.shas["merge"] = made.git("rev-parse", "HEAD").decode().strip()
    made.commit("only gone", {}, "side.py")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{made.shas['first']},module")
    made.done("module")
    made.git("rm", "-q", "--cached", "module")
    for number in range(3):
        made.commit(f"prose {number}", {f"src/shapes/prose{number}.py": prose(number)})
    return made


@pytest.fixture(scope="session")
def imported(repo, tmp_path_factory):
    """The report of the whole history, what was told, and the tapes by the names of their commits."""
    told = []
    report = import_history(str(repo.path), "HEAD", 1, tmp_path_factory.mktemp("one"), told.append)
    out = tmp_path_factory.mktemp("tapes")
    report = import_history(str(repo.path), f"{repo.shas['first']}..HEAD", 1, out, told.append)
    names = {sha: name for name, sha in repo.shas.items()}
    read = {names[each.commit]: tape.read(out / each.tape) for each in report.tapes}
    return report, told, read


def typed(imported, name):
    return imported[2][name]


def reported(repo, imported, name):
    return next(each for each in imported[0].tapes if each.commit == repo.shas[name])


def left_out(repo, imported, name):
    return {each.path: each.reason for each in reported(repo, imported, name).left_out}


def opened(made):
    return {event.path: event for event in made.events if isinstance(event, tape.Open)}


def test_every_document_ends_in_its_blob_and_every_other_file_is_that_of_the_commit(repo, imported):
    assert sorted(imported[2]) == ["feature", "odd", "prose 0", "prose 1", "prose 2", "renamed"]
    for name, made in imported[2].items():
        finished = starting_files(made) | verify(made).finished()
        for path, text in finished.items():
            assert text.encode() == repo.show(repo.shas[name], path), (name, path)
        lacking = set(repo.files(repo.shas[name])) - set(finished)
        assert lacking == {"data.bin", "latin.txt", "link"}
        assert reported(repo, imported, name).lacking == {"binary": 1, "not UTF-8": 1, "a symbolic link": 1}


def test_every_document_begins_as_it_was_in_the_parent(repo, imported):
    for name, made in imported[2].items():
        before = set(repo.files(f"{repo.shas[name]}^"))
        for path, event in opened(made).items():
            was = {"src/shapes/plane.py": "src/shapes/calc.py"}.get(path, path)
            assert event.text.encode() == (repo.show(f"{repo.shas[name]}^", was) if was in before else b"")


def test_the_tape_says_what_it_is_and_how_its_project_is_tested(repo, imported):
    header = typed(imported, "feature").header
    sha = repo.shas["feature"]
    assert (header.id, header.origin, header.editor) == (f"shapes-{sha[:10]}", "synthesised", "typist")
    assert header.created == "2024-03-01T10:00:00+01:00"
    assert header.carried["git"] == {"commit": sha, "parents": [repo.shas["first"]], "seed": 1, "left_out": []}
    assert header.tests.command == "PYTHONPATH=src python -m pytest -q -p no:cacheprovider"
    assert [item.partition(">")[0] for item in header.tests.requires] == ["pytest", "hypothesis"]


@pytest.mark.parametrize(("share", "expected"), [(1.0, [AREA.rstrip("\n")]), (0.0, [])])
def test_code_that_stands_in_the_project_is_pasted_as_often_as_drawn(repo, tmp_path, share, expected):
    drawn = named_distributions()
    drawn = msgspec.structs.replace(drawn, pasted=msgspec.structs.replace(drawn.pasted, p=share))
    sha = repo.shas["feature"]
    report = import_history(str(repo.path), sha, 1, tmp_path, lambda _: None, distributions=drawn)
    events = tape.read(tmp_path / report.tapes[0].tape).events
    pasted = [event for event in events if isinstance(event, tape.Edit) and event.reason == "paste"]
    assert [edit.changes[0][2] for edit in pasted] == expected
    assert report.tapes[0].pastes == len(expected)


def test_what_cannot_be_typed_is_left_out_with_its_reason(repo, imported):
    assert left_out(repo, imported, "odd") == {
        "data.bin": "binary",
        "latin.txt": "not UTF-8",
        "link": "a symbolic link",
        "run.sh": "only its mode changed",
        "uv.lock": "generated or vendored",
    }
    assert left_out(repo, imported, "renamed") == {
        "README.rst": "renamed, and nothing else",
        "gone.py": "deleted: a tape has no event for that",
    }


def test_line_ends_byte_order_marks_and_odd_names_come_through(repo, imported):
    finished = verify(typed(imported, "odd")).finished()
    assert finished["windows.txt"] == "one\r\n2\r\nthree\r\nfour\r\n"
    assert finished["bom.py"] == "\ufeffx = 2\n"
    assert finished["open.txt"] == "no end yet"
    assert finished["größe 😀.py"] == "größe = '😀' + 'x'\n"
    [ends] = [e for e in typed(imported, "odd").events if isinstance(e, tape.Edit) and e.reason == "format"]
    assert [text for _, _, text in ends.changes] == ["\n", "\n"]


def test_merges_and_what_leaves_nothing_to_type_are_skipped_and_said(repo, imported):
    reasons = {each.commit: each.reason for each in imported[0].skipped}
    assert set(reasons) == {repo.shas[name] for name in ("merge", "only gone", "module")}
    brought = f"{repo.shas['renamed'][:10]}..{repo.shas['on the side'][:10]}"
    assert reasons[repo.shas["merge"]] == f"a merge: import what it brought as {brought}"
    assert reasons[repo.shas["only gone"]] == "nothing to type: deleted: a tape has no event for that"
    assert "a submodule" in reasons[repo.shas["module"]]


def test_the_range_that_a_skipped_merge_names_holds_what_it_brought(repo, imported, tmp_path):
    [merge] = [each for each in imported[0].skipped if each.commit == repo.shas["merge"]]
    report = import_history(str(repo.path), merge.reason.split()[-1], 1, tmp_path, lambda _: None)
    assert [each.commit for each in report.tapes] == [repo.shas["on the side"]]


def test_each_commit_is_told_the_oldest_first(repo, imported):
    told = imported[1][1:]
    assert told[0].startswith(f"1/9 {repo.shas['feature'][:10]}: 2 documents, ")
    assert told[-1].startswith(f"9/9 {repo.shas['prose 2'][:10]}: 1 documents, ")


def test_the_report_counts_what_is_on_the_tape(repo, imported):
    for name, made in imported[2].items():
        each = reported(repo, imported, name)
        edits = [event for event in made.events if isinstance(event, tape.Edit)]
        assert each.events == len(made.events)
        assert each.typed == sum(edit.reason == "type" for edit in edits)
        assert each.deleted == sum(edit.reason == "delete" for edit in edits)
        assert each.documents == len(opened(made))
        assert each.minutes == round(made.events[-1].t / 60_000, 1)


def test_the_first_commit_of_all_has_no_parent_and_is_typed_whole(repo, tmp_path):
    report = import_history(str(repo.path), repo.shas["first"], 1, tmp_path, lambda _: None)
    made = tape.read(tmp_path / report.tapes[0].tape)
    assert all(event.text == "" for event in opened(made).values())
    assert verify(made).finished()["src/shapes/calc.py"] == FIRST["src/shapes/calc.py"]
    assert {each.path for each in report.tapes[0].left_out if each.reason == "empty"} == {"src/shapes/__init__.py"}


def test_the_same_commit_and_seed_give_the_same_bytes_whatever_the_range(repo, imported, tmp_path):
    sha = repo.shas["renamed"]
    alone, other = (import_history(str(repo.path), sha, seed, tmp_path / str(seed), lambda _: None) for seed in (1, 2))
    before = next(each.tape for each in imported[0].tapes if each.commit == sha)
    contents = [open(path, "rb").read() for path in (before, alone.tapes[0].tape, other.tapes[0].tape)]  # noqa: PTH123, SIM115
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


@pytest.fixture(scope="session")
def letters(imported):
    """The gap before each letter that follows one at once, told from the tapes alone."""
    found = []
    for made in imported[2].values():
        edits = [event for event in made.events if isinstance(event, tape.Edit)]
        for before, edit in itertools.pairwise(edits):
            pair = [*before.changes, *edit.changes]
            if len(pair) == 2 and before.doc == edit.doc and all(s == e and len(n) == 1 for s, e, n in pair):
                (at, _, one), (then, _, other) = pair
                found += [edit.t - before.t] * (then == at + 1 and one.isalpha() and other.isalpha())
    return found


def fresh(context, count=20_000, drawn=None):
    chance = random.Random("another seed")
    return [(drawn or named_distributions()).gap(chance, context) for _ in range(count)]


def test_the_gaps_on_the_tapes_are_those_of_the_named_distribution(letters):
    assert len(letters) > 3_000
    assert ks_2samp(letters, fresh("letter")).pvalue > 0.05


def test_the_gaps_on_the_tapes_are_told_from_a_wrong_distribution(letters):
    drawn = named_distributions()
    slower = [(weight, 1.15 * median, sigma) for weight, median, sigma in drawn.burst["letter"].parts]
    wrong = msgspec.structs.replace(drawn.burst["letter"], parts=slower)
    restless = Share(source="", n=0, p=0.1)
    wrongs = [
        msgspec.structs.replace(drawn, burst=drawn.burst | {"letter": wrong}),
        msgspec.structs.replace(drawn, pausing=drawn.pausing | {"letter": restless}),
    ]
    assert all(ks_2samp(letters, fresh("letter", drawn=each)).pvalue < 1e-4 for each in wrongs)
    assert ks_2samp(letters, fresh("sign")).pvalue < 1e-9


@pytest.mark.parametrize("context", ["sign", "enter", "line", "delete", "deletes", "redo", "beside"])
def test_so_are_those_before_other_keys(context, imported):
    found = [gap for made in imported[2].values() for gap in gaps(made).get(context, [])]
    assert len(found) > 20
    assert ks_2samp(found, fresh(context)).pvalue > 0.02


def test_a_commit_with_too_much_to_type_is_left_out(repo, tmp_path):
    sha = repo.shas["prose 1"]
    report = import_history(str(repo.path), sha, 1, tmp_path, lambda _: None, characters=500)
    assert report.tapes == ()
    assert "and the limit is 500" in report.skipped[0].reason
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_too_large_is_left_out(need, tmp_path):
    need("git")
    large = Repo(tmp_path / "large")
    large.commit("first", {"a.py": "a = 1\n", "large.txt": "x" * 300_000})
    large.commit("second", {"a.py": "a = 2\n", "large.txt": "y" * 300_000, "vendor/b.py": "b\n", "c.min.js": "c\n"})
    report = import_history(str(large.path), "HEAD", 1, tmp_path / "out", lambda _: None)
    assert {each.path: each.reason for each in report.tapes[0].left_out} == {
        "large.txt": "over 256 KiB",
        "vendor/b.py": "generated or vendored",
        "c.min.js": "generated or vendored",
    }
    made = tape.read(tmp_path / "out" / report.tapes[0].tape)
    assert starting_files(made) == {"vendor/b.py": "b\n", "c.min.js": "c\n"}


def test_paths_that_a_tape_cannot_hold_are_left_out(need, tmp_path):
    need("git")
    odd = Repo(tmp_path / "odd")
    odd.commit("first", {"a.py": "a = 1\n"})
    (odd.path / os.fsdecode(b"caf\xe9.py")).write_text("b = 1\n", encoding="utf-8")
    odd.commit("second", {"a.py": "a = 2\n", "back\\slash.py": "c = 1\n"})
    report = import_history(str(odd.path), "HEAD", 1, tmp_path / "out", lambda _: None)
    [typed] = report.tapes
    assert {each.path: each.reason for each in typed.left_out} == {
        "caf\ufffd.py": "a path that a tape cannot hold",
        "back\\slash.py": "a path that a tape cannot hold",
    }
    assert typed.lacking == {"a path that a tape cannot hold": 2}
    assert starting_files(tape.read(tmp_path / "out" / typed.tape)) == {}


@pytest.mark.parametrize(
    ("revisions", "said"),
    [
        ("nowhere..HEAD", "nowhere"),
        ("HEAD..HEAD~1", "names no commit: is the older revision on the left"),
        ("--all", "rev-list.* says"),
    ],
)
def test_a_range_that_is_not_there_is_named(repo, tmp_path, revisions, said):
    with pytest.raises(HistoryError, match=said):
        import_history(str(repo.path), revisions, 1, tmp_path, lambda _: None)


def test_what_is_no_repository_is_named(tmp_path):
    with pytest.raises(HistoryError, match="there is no such folder"):
        import_history(str(tmp_path / "none"), "HEAD", 1, tmp_path, lambda _: None)
    with pytest.raises(HistoryError, match="not a git repository"):
        import_history(str(tmp_path), "HEAD", 1, tmp_path, lambda _: None)


def test_a_folder_that_cannot_be_written_is_named(repo, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HistoryError, match="cannot be written"):
        import_history(str(repo.path), "HEAD", 1, tmp_path / "file", lambda _: None)


def test_a_shallow_clone_is_refused_where_a_parent_lacks_and_read_where_not(repo, tmp_path):
    repo.git("clone", "-q", "--depth", "2", repo.path.as_uri(), str(tmp_path / "shallow"))
    with pytest.raises(HistoryError, match="git fetch --unshallow"):
        import_history(str(tmp_path / "shallow"), "HEAD~1", 1, tmp_path / "out", lambda _: None)
    report = import_history(str(tmp_path / "shallow"), "HEAD~1..HEAD", 1, tmp_path / "out", lambda _: None)
    assert [each.commit for each in report.tapes] == [repo.shas["prose 2"]]
    assert report.repository == "shapes"


def test_a_partial_clone_is_refused_and_nothing_is_fetched(repo, tmp_path):
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", repo.path.as_uri(), str(clone))
    with pytest.raises(HistoryError, match="git fetch --refetch --no-filter"):
        import_history(str(clone), "HEAD~1..HEAD", 1, tmp_path / "out", lambda _: None)


def test_nothing_of_the_repository_is_run(repo, tmp_path):
    marker = tmp_path / "ran"
    clone = tmp_path / "clone"
    repo.git("clone", "-q", repo.path.as_uri(), str(clone))
    for name in ("diff.external", "core.fsmonitor", "filter.x.smudge", "diff.x.textconv"):
        subprocess.run(["git", "config", name, f"touch {marker}"], cwd=clone, env=ENVIRONMENT, check=True)
    (clone / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    assert import_history(str(clone), "HEAD", 1, tmp_path / "out", lambda _: None).tapes
    assert not marker.exists()

"""Commits of a repository become tapes whose documents end in the commit, byte for byte."""

import itertools
import random
import subprocess

import msgspec
import pytest
from scipy.stats import ks_2samp

from corpora.errors import HistoryError
from corpora.history.session.distributions import Share, named_distributions
from replay.judge.tape_project import other_files, starting_files
from replay.tapes import tape
from replay.tapes.tape import verify
from runners.other_files import OtherFiles
from tests.support.history_requests import imported_tapes
from tools.commit_distributions import gaps


def typed(imported, name):
    return imported[2][name]


def reported(repo, imported, name):
    return next(each for each in imported[0].tapes if each.commit == repo.shas[name])


def left_out(repo, imported, name):
    return {each.path: each.reason for each in reported(repo, imported, name).left_out}


def opened(made):
    return {event.path: event for event in made.events if isinstance(event, tape.Open)}


def test_every_document_ends_in_its_blob_and_every_other_file_is_that_of_the_commit(repo, imported):
    assert sorted(imported[2]) == ["feature", "odd", "on the side", "prose 0", "prose 1", "prose 2", "renamed"]
    for name, made in imported[2].items():
        finished = starting_files(made) | verify(made).finished()
        for path, text in finished.items():
            assert text.encode() == repo.show(repo.shas[name], path), (name, path)
        lacking = set(repo.files(repo.shas[name])) - set(finished)
        assert lacking == {"data.bin", "latin.txt", "link"}
        assert reported(repo, imported, name).lacking == {}


def test_what_is_no_text_links_and_modes_are_those_of_the_commit(repo, imported):
    for name, made in imported[2].items():
        listed = subprocess.run(["git", "-C", repo.path, "ls-tree", "-r", repo.shas[name]], check=True, capture_output=True, text=True).stdout.splitlines()  # fmt: skip
        modes = {line.partition("\t")[2]: line.split()[0] for line in listed}
        others = other_files(made)
        assert others.blobs == {path: repo.show(repo.shas[name], path) for path in ("data.bin", "latin.txt")}
        assert others.links == {"link": repo.show(repo.shas[name], "link").decode()}
        assert others.executable == {path for path, mode in modes.items() if mode == "100755"}


def test_links_that_lead_out_are_left_out_and_counted(make_repo, tmp_path):
    led = make_repo(tmp_path / "led")
    led.commit("first", {"a.py": "a = 1\n"})
    for path, target in {"out": "../secret", "absolute": "/etc/passwd", "in": "a.py"}.items():
        (led.path / path).symlink_to(target)
    led.commit("second", {"a.py": "a = 2\n", "run.sh": "echo\n"})
    report = imported_tapes(led.path, "HEAD", 1, tmp_path / "out")
    assert other_files(tape.read(tmp_path / "out" / report.tapes[0].tape)) == OtherFiles(links={"in": "a.py"})
    assert report.tapes[0].lacking == {"a symbolic link": 2}


def test_of_what_is_no_text_small_files_come_first_as_far_as_there_is_room(make_repo, tmp_path, monkeypatch):
    monkeypatch.setattr("corpora.history.repository.commit_files.PROJECT_LIMIT", 1000)
    large = make_repo(tmp_path / "large")
    large.commit("first", {"a.py": "a = 1\n"})
    large.commit("second", {"a.py": "a = 2\n", "b.bin": b"\0" * 600, "c.bin": b"\0" * 400, "d.bin": b"\0" * 601})
    report = imported_tapes(large.path, "HEAD", 1, tmp_path / "out")
    made = tape.read(tmp_path / "out" / report.tapes[0].tape)
    assert set(other_files(made).blobs) == {"b.bin", "c.bin"}
    assert report.tapes[0].lacking == {"binary": 1}


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
    git = {"commit": sha, "subject": "feature", "parents": [repo.shas["first"]], "seed": 1, "left_out": []}
    assert header.carried["git"] == git
    assert header.tests.command == 'PYTHONPATH="$PWD/src" python -m pytest -q -p no:cacheprovider'
    assert [item.partition(">")[0] for item in header.tests.requires] == ["pytest", "hypothesis"]


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_code_that_stands_in_the_project_is_pasted_as_often_as_drawn(repo, tmp_path, share):
    expected = [repo.area.rstrip("\n")] * int(share)
    drawn = named_distributions()
    drawn = msgspec.structs.replace(drawn, pasted=msgspec.structs.replace(drawn.pasted, p=share))
    sha = repo.shas["feature"]
    report = imported_tapes(repo.path, sha, 1, tmp_path, distributions=drawn)
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
    assert reasons[repo.shas["merge"]] == "a merge: its commits are looked at instead"
    assert reasons[repo.shas["only gone"]] == "only deletions"
    assert reasons[repo.shas["module"]] == "nothing to type"
    assert imported[0].reasons == {"merge": 1, "deletions": 1, "nothing": 1}
    assert imported[0].commits == 10


def test_each_commit_is_told_the_oldest_first(repo, imported):
    told = imported[1][1:]
    assert told[0].startswith(f"1 {repo.shas['feature'][:10]}: 2 documents, ")
    assert told[-1].startswith(f"10 {repo.shas['prose 2'][:10]}: 1 documents, ")


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
    report = imported_tapes(repo.path, repo.shas["first"], 1, tmp_path)
    made = tape.read(tmp_path / report.tapes[0].tape)
    assert all(event.text == "" for event in opened(made).values())
    assert verify(made).finished()["src/shapes/calc.py"] == repo.first["src/shapes/calc.py"]
    assert {each.path for each in report.tapes[0].left_out if each.reason == "empty"} == {"src/shapes/__init__.py"}


def test_the_same_commit_and_seed_give_the_same_bytes_whatever_the_range(repo, imported, tmp_path):
    sha = repo.shas["renamed"]
    alone, other = (imported_tapes(repo.path, sha, seed, tmp_path / str(seed)) for seed in (1, 2))
    before = next(each.tape for each in imported[0].tapes if each.commit == sha)
    contents = [open(path, "rb").read() for path in (before, alone.tapes[0].tape, other.tapes[0].tape)]  # noqa: PTH123, SIM115
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_another_tape_in_the_place_of_a_commits_is_replaced_only_by_force(repo, tmp_path):
    def kept(seed, **options):
        report = imported_tapes(repo.path, repo.shas["renamed"], seed, tmp_path, **options)
        return open(report.tapes[0].tape, "rb").read()  # noqa: PTH123

    first = kept(1)
    assert kept(1) == first
    with pytest.raises(HistoryError, match=r"exists already.*--force"):
        kept(2)
    assert kept(2, force=True) != first
    assert len(list(tmp_path.glob("*.tape.jsonl"))) == 1
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".jsonl"} == {"blobs"}


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
    report = imported_tapes(repo.path, sha, 1, tmp_path, characters=500)
    assert report.tapes == ()
    assert "and the limit is 500" in report.skipped[0].reason
    assert list(tmp_path.iterdir()) == []

"""Which commits of a repository become tapes."""

from collections import Counter
from types import SimpleNamespace

import pytest
from scipy.stats import chisquare

from corpora.errors import HistoryError
from corpora.history import CommitSelection, HistoryRequest, import_history, typed_commits
from corpora.history.commit_plan import SessionPlan
from corpora.history.commit_sampling import chosen
from corpora.history.repository.commits import Commit, Repository
from replay.tapes import tape
from replay.tapes.tape import verify
from tests.support.history_requests import imported_tapes, request


def module(number):
    return f"def function_{number}(value):\n    return value + {number}\n"


@pytest.fixture(scope="module")
def branched(make_repo, tmp_path_factory):
    """Two commits on a branch that is merged, one of which was picked into the main line; later a commit of another author."""
    made = make_repo(tmp_path_factory.mktemp("branched") / "shapes")
    made.commit("first", {"a.py": module(0)})
    made.git("checkout", "-q", "-b", "side")
    made.commit("side 1", {"b.py": module(1)})
    made.commit("side 2", {"c.py": module(2)})
    made.git("checkout", "-q", "main")
    made.commit("main 1", {"d.py": module(3)})
    made.git("cherry-pick", "side")
    made.shas["picked"] = made.git("rev-parse", "HEAD").decode().strip()
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    made.shas["merge"] = made.git("rev-parse", "HEAD").decode().strip()
    (made.path / "e.py").write_text(module(4), encoding="utf-8")
    made.git("add", "-A")
    late = "2024-06-01T10:00:00+01:00"
    made.git(
        "-c",
        "user.useConfigOnly=false",
        "commit",
        "-q",
        "-m",
        "late",
        "--author",
        "Ada Byron <ada@example.org>",
        "--date",
        late,
    )
    made.shas["late"] = made.git("rev-parse", "HEAD").decode().strip()
    return made


def names(repo, found):
    known = {sha: name for name, sha in repo.shas.items()}
    return [known[each.commit] for each in found]


def test_merges_bring_in_their_commits_and_a_patch_that_stands_on_two_branches_is_typed_once(branched, tmp_path):
    report = imported_tapes(branched.path, "", 0, tmp_path, order="newest")
    typed = set(names(branched, report.tapes))
    assert typed | {"side 2", "picked"} == {"first", "side 1", "main 1", "late", "side 2", "picked"}
    assert len(typed & {"side 2", "picked"}) == 1
    kept = branched.shas[(typed & {"side 2", "picked"}).pop()]
    [repeated] = [each for each in report.skipped if each.kind == "repeated"]
    assert repeated.reason == f"the same patch as {kept[:10]}"
    assert repeated.subject == "side 2"
    assert report.reasons == {"merge": 1, "repeated": 1}


@pytest.mark.parametrize("options", [{"order": "oldest"}, {"last": 5}, {"sample": 5}])
def test_which_of_two_equal_patches_is_typed_does_not_depend_on_the_order(branched, tmp_path, options):
    first, found = (
        imported_tapes(branched.path, "", 0, tmp_path, **{"order": "newest"} | options).skipped
        for options in ({}, options)
    )
    assert {each.commit: each.reason for each in found} == {each.commit: each.reason for each in first}


def test_a_merge_is_one_session_of_its_difference_to_its_first_parent_if_asked(branched, tmp_path):
    report = imported_tapes(branched.path, "", 0, tmp_path, merges="first-parent")
    assert names(branched, report.tapes) == ["first", "main 1", "picked", "merge", "late"]
    made = tape.read(tmp_path / report.tapes[3].tape)
    assert [event.path for event in made.events if isinstance(event, tape.Open)] == ["b.py"]
    assert verify(made).finished()["b.py"] == module(1)
    assert made.header.carried["git"]["parents"] == [branched.shas["picked"], branched.shas["side 2"]]


def test_the_last_commits_are_those_that_give_a_tape(repo, tmp_path):
    report = imported_tapes(repo.path, "", 0, tmp_path, last=4, order="newest")
    assert names(repo, report.tapes[:3]) == ["prose 2", "prose 1", "prose 0"]
    assert len(report.tapes) == 4
    assert {"module", "only gone"} <= set(names(repo, report.skipped))
    assert report.commits == len(report.tapes) + len(report.skipped)
    whole = imported_tapes(repo.path, "", 0, tmp_path, last=99)
    assert len(whole.tapes) == 8
    assert "first" in names(repo, whole.tapes)


def test_a_range_and_a_number_go_together(repo, tmp_path):
    report = imported_tapes(repo.path, f"{repo.shas['first']}..{repo.shas['prose 1']}", 0, tmp_path, last=1)
    assert names(repo, report.tapes) == ["prose 1"]
    assert report.selection == f"{repo.shas['first']}..{repo.shas['prose 1']}, last 1"


def test_commits_are_chosen_by_author_and_date(branched, tmp_path):
    by = imported_tapes(branched.path, "", 0, tmp_path, author="ada@")
    assert names(branched, by.tapes) == ["late"]
    assert by.selection == "HEAD, by ada@"
    assert len(imported_tapes(branched.path, "", 0, tmp_path, since="2024-02-01").tapes) == 5
    with pytest.raises(HistoryError, match=r"HEAD, since 2024-04-01 names no commit$"):
        imported_tapes(branched.path, "", 0, tmp_path, since="2024-04-01")


@pytest.mark.parametrize(
    "text", ["--all", "-n1", "x --output=written", "$(touch written)", "`touch written`; touch written"]
)
@pytest.mark.parametrize("by", ["author", "since", "revisions"])
def test_no_text_of_a_person_is_an_option_of_git_or_a_command(branched, tmp_path, monkeypatch, by, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HistoryError):
        list(Repository(str(branched.path)).walk(CommitSelection(**{by: text})))
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_draws_the_same_sample_and_another_seed_another(repo, tmp_path):
    def drawn(seed):
        return names(repo, imported_tapes(repo.path, "", seed, tmp_path / str(seed), sample=3, force=True).tapes)

    draws = [drawn(seed) for seed in range(6)]
    assert drawn(0) == draws[0]
    assert all(len(set(each)) == 3 for each in draws)
    assert len({tuple(each) for each in draws}) > 1


def test_a_sample_larger_than_the_history_is_the_whole_history(repo, tmp_path):
    whole, drawn = (imported_tapes(repo.path, "", 0, tmp_path, **options) for options in ({}, {"sample": 99}))
    assert names(repo, drawn.tapes) == names(repo, whole.tapes)
    assert drawn.reasons == whole.reasons


class _Planned:
    """A planner of made-up commits; those with an odd number give no tape."""

    def __init__(self, count):
        commits = [Commit(f"{number:040x}", (), "", str(number)) for number in range(count)]
        self.repository = SimpleNamespace(walk=lambda _: iter(commits), patch_ids=lambda _: {})

    def sift(self, _):
        return {}

    def plan(self, commit):
        return None if int(commit.subject) % 2 else SessionPlan(commit, None, [])


def test_a_sample_draws_each_commit_that_gives_a_tape_equally_often():
    drawn, draws = Counter(), 3_000
    for seed in range(draws):
        found = [each for each in chosen(_Planned(20), CommitSelection(sample=3), seed) if isinstance(each, Commit)]
        assert len(found) == 3
        drawn.update(each.subject for each in found)
    assert sorted(map(int, drawn)) == list(range(0, 20, 2))
    assert chisquare(list(drawn.values())).pvalue > 0.01


@pytest.mark.parametrize("wrong", [{"last": 1, "sample": 1}, {"last": 0}, {"sample": 0}, {"last": -1}])
def test_numbers_that_choose_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match="commit"):
        CommitSelection(**wrong)


def test_each_tape_is_there_when_its_commit_is_told_and_no_later_one_is(repo, tmp_path):
    commits = typed_commits(request(repo.path, tmp_path, last=3, order="newest"))
    for number in (1, 2):
        assert next(commits).commit == repo.shas[f"prose {3 - number}"]
        assert len(list(tmp_path.glob("*.tape.jsonl"))) == number
    commits.close()
    assert len(list(tmp_path.glob("*.tape.jsonl"))) == 2


def test_both_orders_make_the_same_tapes(repo, tmp_path):
    newest, oldest = (
        list(typed_commits(request(repo.path, tmp_path, last=6, order=order))) for order in ("newest", "oldest")
    )
    assert newest == oldest[::-1]


def test_the_caller_says_how_the_project_of_a_commit_is_tested(repo, tmp_path):
    seen = []

    def tests_of(files):
        seen.append(files["src/shapes/prose2.py"])
        return tape.Tests(toolchain="python", command="true")

    wanted = HistoryRequest(str(repo.path), tmp_path, CommitSelection(last=1))
    report = import_history(wanted, lambda _: None, tests_of)
    assert tape.read(tmp_path / report.tapes[0].tape).header.tests.command == "true"
    assert seen == [repo.show("HEAD", "src/shapes/prose2.py").decode()]
    assert not next(
        typed_commits(HistoryRequest(str(repo.path), tmp_path / "none", CommitSelection(last=1)), lambda _: None)
    ).tests


def test_a_subject_is_one_line_of_bounded_length(make_repo, tmp_path):
    made = make_repo(tmp_path / "subjects")
    for number, message in enumerate(["a\tb  c\r\nof one\n\nbody", "x" * 500, "größe \x0c 😀"]):
        made.commit(message, {"a.py": module(number)})
    report = imported_tapes(made.path, "", 0, tmp_path / "out")
    assert [each.subject for each in report.tapes] == ["a b c of one", "x" * 119 + "…", "größe 😀"]
    assert tape.read(tmp_path / report.tapes[1].tape).header.carried["git"]["subject"] == "x" * 119 + "…"


def shallow(repo, depth, place):
    repo.git("clone", "-q", "--depth", str(depth), "--no-single-branch", repo.path.as_uri(), str(place))
    return place


def test_a_shallow_clone_is_refused_only_if_the_last_commits_lie_beyond_its_end(repo, tmp_path):
    clone = shallow(repo, 3, tmp_path / "clone")
    assert len(imported_tapes(clone, "", 0, tmp_path / "out", last=2).tapes) == 2
    for wanted in ({"last": 3}, {"sample": 1}, {}, {"since": "2020-01-01"}):
        with pytest.raises(HistoryError, match=r"shallow clone .*git fetch --unshallow"):
            imported_tapes(clone, "", 0, tmp_path / "out", **wanted)


def test_a_shallow_clone_is_refused_if_the_commits_of_an_author_may_lie_beyond_its_end(branched, tmp_path):
    clone = shallow(branched, 2, tmp_path / "clone")
    with pytest.raises(HistoryError, match="git fetch --unshallow"):
        imported_tapes(clone, "", 0, tmp_path / "out", author="Ada")
    assert len(imported_tapes(clone, "", 0, tmp_path / "out", author="Ada", last=1).tapes) == 1


def test_a_repository_without_commits_is_named(make_repo, tmp_path):
    with pytest.raises(HistoryError, match="HEAD names no commit"):
        imported_tapes(make_repo(tmp_path / "empty").path, "", 0, tmp_path / "out", last=1)

"""A commit that cannot be tested here is left out with its reason, and the others are typed all the same."""

from types import SimpleNamespace

import pytest

from corpora.errors import HistoryError
from corpora.history import CommitSelection
from corpora.history.import_report import TypedCommit
from replay.options import ReplayOptions
from replay.tapes.tape import write
from runners.environments import NotTestable
from runners.errors import IndexUnreachable, MachineFails
from tests.support.tapes import Typist
from tui.commands.quickstart.sessions import Sessions


@pytest.fixture
def sessions(tmp_path):
    """A function: what becomes of a commit whose tests end with an error when they are tried; its tape, what is said, what is counted."""

    async def become(error):
        async def working(files, others):
            raise error

        write(Typist().type("x = 1\n").tape(), tmp_path / "a.tape.jsonl")
        commit = TypedCommit(
            "0123456789abcdef", "a", str(tmp_path / "a.tape.jsonl"), 1, 1, 1, 0, 0, 0, 1.0, (), {}, True
        )
        tests, said = SimpleNamespace(holds_for=lambda files: False), []
        made = Sessions(SimpleNamespace(working=working), SimpleNamespace(tests=tests), ReplayOptions(), said.append)
        tape = await made._tape(commit)
        assert made._unreachable is (error if isinstance(error, IndexUnreachable) else None)
        return tape, said, dict(made._left)

    return become


@pytest.mark.parametrize(
    ("error", "said", "counted"),
    [
        (NotTestable((), ("first", "2 of 3 tests fail")), "2 of 3 tests fail", "its own tests fail"),
        (IndexUnreachable("their index cannot be reached"), "their index cannot be reached", "its packages cannot be fetched"),
    ],
)  # fmt: skip
async def test_it_is_left_out(sessions, error, said, counted):
    assert await sessions(error) == (None, [f"  left out: 0123456789: {said}"], {counted: 1})


def test_where_packages_could_not_be_fetched_and_no_session_is_left_that_is_the_reason():
    away = IndexUnreachable("their index cannot be reached")
    finder = SimpleNamespace(repository=SimpleNamespace(path="app"))
    found = SimpleNamespace(selection=CommitSelection(last=1))
    with pytest.raises(IndexUnreachable, match="their index"):
        Sessions(finder, found, ReplayOptions(), lambda _: None, _unreachable=away)._tell(0, 3)


async def test_a_machine_that_fails_ends_it(sessions):
    with pytest.raises(MachineFails):
        await sessions(MachineFails("the disk is full"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (ReplayOptions(), "about: choose others with --range, --since or --last"),
        (
            ReplayOptions(paths=("nosuch/",), excluded=("a/",)),
            "about with --path nosuch/, --exclude a/: choose others .*, or change --path nosuch/",
        ),
    ],
)
def test_where_no_commit_has_anything_to_ask_the_flags_that_chose_are_named(options, named):
    finder = SimpleNamespace(repository=SimpleNamespace(path="app"))
    found = SimpleNamespace(selection=CommitSelection(last=1))
    with pytest.raises(HistoryError, match=named):
        Sessions(finder, found, options, lambda _: None)._tell(0, 3)

"""Reviewing new tasks: the screen at all sizes, each key, and what the reviews come to."""

import json

import pytest
from textual.widgets import Input, Static
from typer.testing import CliRunner

from corpora.errors import DataError
from corpora.generation.generation_funnel import Funnel, GeneratedAnswer
from corpora.generation.reviews import Review, Reviews, outcome, standing
from tests.support.waiting import notified
from tui.cli.app import app as cli
from tui.rating.reviewing import ReviewApp
from tui.text_dialog import TextDialog

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOP = "def total(prices):\n    result = 0\n    for price in prices:"


def answer(number, **more):
    made = {
        "prefix": LOOP.replace("total", f"total_{number}"),
        "golden_completion": "        result += price",
        "suffix": "    return result",
        "assertions": f"assert total_{number}([1, 2]) == 3\nassert total_{number}([]) == 0",
    }
    return GeneratedAnswer("python", "low_context", number, json.dumps(made | more))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A generation with three tasks that wait for a review, put there without tests."""
    from corpora.generation import generation_funnel as module

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    funnel = Funnel(tmp_path / "new")
    for number in range(3):
        funnel.keep(answer(number))
    tasks, instances, _ = funnel.read()
    module.write_benchmark(funnel.folder / "review", tasks.values(), instances)
    return funnel.folder


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_screen(snap_compare, folder, size, theme):
    app = ReviewApp(Reviews(folder), "ada")
    app.theme = theme
    assert snap_compare(app, terminal_size=size)


async def test_a_decision_is_kept_at_once_and_the_next_task_is_shown(folder):
    app = ReviewApp(Reviews(folder), "ada")
    async with app.run_test(size=(100, 40)) as pilot:
        assert app.shown.name.endswith("/1")
        await pilot.press("x")
        assert Reviews(folder).all() == []  # the questions come first
        await pilot.press(*"12234", "m", *"too plain", "enter", "x")
        assert app.shown.name.endswith("/2")
        assert Reviews(folder).all() == [
            Review(
                "python/low_context/1",
                "ada",
                "reject",
                {"usefulness": True, "realism": False, "category": True, "complexity": True},
                "too plain",
            )
        ]
        await pilot.press(*"1234a", "p", "p")
        assert "rejected by you" in str(app.query_one("#headline", Static).visual)
        await pilot.press("a")  # another mind
        assert {review.task[-1]: review.decision for review in Reviews(folder).all()} == {"1": "accept", "2": "accept"}
        assert app.shown.name.endswith("/3")


async def test_a_reviewer_goes_on_where_they_were_and_does_not_see_others(folder):
    Reviews(folder).keep(Review("python/low_context/1", "bob", "reject", {}))
    Reviews(folder).keep(
        Review(
            "python/low_context/1",
            "ada",
            "accept",
            dict.fromkeys(("usefulness", "realism", "category", "complexity"), False),
        )
    )
    app = ReviewApp(Reviews(folder), "ada")
    async with app.run_test() as pilot:
        assert app.shown.name.endswith("/2")
        await pilot.press("p")
        assert "accepted by you" in str(app.query_one("#headline", Static).visual)
        assert "no" in str(app.query_one("#answers", Static).visual)


async def test_what_changes_after_a_decision_is_kept_and_a_line_that_was_cut_off_locks_nothing(folder):
    app = ReviewApp(Reviews(folder), "ada")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press(*"1234a", "p", "3", "m", *"late", "enter", "q")
    [kept] = Reviews(folder).all()
    assert (kept.decision, kept.answers["category"], kept.note) == ("accept", False, "late")
    with (folder / "reviews.jsonl").open("a") as file:
        file.write('{"task": "b", "rev')
    Reviews(folder).keep(Review("python/low_context/2", "ada", "reject", {}))
    assert [review.decision for review in Reviews(folder).all()] == ["accept", "reject"]


async def test_help_and_letters_of_a_note_are_no_keys(folder):
    app = ReviewApp(Reviews(folder), "ada")
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, TextDialog)
        await pilot.press("escape", "m", "a", "x")
        assert app.query_one("#note", Input).value == "ax"
        assert Reviews(folder).all() == []


async def test_a_review_that_cannot_be_kept_is_told(folder, monkeypatch):
    def full(self, review):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Reviews, "keep", full)
    app = ReviewApp(Reviews(folder), "ada")
    async with app.run_test() as pilot:
        await pilot.press(*"1234a")
        assert await notified(pilot) == ["The review cannot be kept: No space left on device"]
        assert app.shown.name.endswith("/1")


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ("", "waiting"),
        ("a", "waiting"),
        ("aa", "accepted"),
        ("xx", "rejected"),
        ("ax", "disputed"),
        ("aax", "disputed"),
    ],
)
def test_where_a_task_stands(decisions, expected):
    names = {"a": "accept", "x": "reject"}
    assert standing([Review("t", str(at), names[one], {}) for at, one in enumerate(decisions)]) == expected


def test_results_count_tasks_and_agreement_and_write_what_two_accept(folder):
    reviews = Reviews(folder)
    for task, ada, bob in (("1", "accept", "accept"), ("2", "reject", "accept"), ("3", "reject", "reject")):
        for reviewer, decision in (("ada", ada), ("bob", bob)):
            reviews.keep(Review(f"python/low_context/{task}", reviewer, decision, {"realism": decision == "accept"}))
    done = CliRunner().invoke(cli, ["corpora", "review", str(folder), "--results", "--json"])
    found = json.loads(done.stdout)
    assert found["standing"] == {"accepted": 1, "rejected": 1, "disputed": 1, "waiting": 0}
    [pair] = found["agreement"]
    assert pair["reviewers"] == ["ada", "bob"]
    assert pair["decision"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert pair["questions"]["realism"]["value"] == pair["decision"]["value"]
    shown = CliRunner().invoke(cli, ["corpora", "review", str(folder), "--results"]).stdout
    assert "ada and bob, on 3 tasks" in shown
    accepted = (folder / "accepted" / "benchmark" / "python" / "low_context" / "low_context.jsonl").read_text()
    assert [json.loads(line)["id"] for line in accepted.splitlines()] == ["1"]


def test_what_is_no_generation_or_no_review_is_told(tmp_path, folder):
    with pytest.raises(DataError, match="no task waits for a review here"):
        Reviews(tmp_path).tasks()
    (folder / "reviews.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"reviews\.jsonl:1: is no review"):
        Reviews(folder).all()
    done = CliRunner().invoke(cli, ["corpora", "review", str(tmp_path)])
    assert "no task waits for a review here" in done.stderr


def test_a_cut_off_last_line_is_left_out(folder):
    reviews = Reviews(folder)
    reviews.keep(Review("python/low_context/1", "ada", "accept", {}))
    with (folder / "reviews.jsonl").open("a") as file:
        file.write('{"task": "python')
    assert len(reviews.all()) == 1
    assert outcome(reviews.tasks(), reviews.all())["standing"]["waiting"] == 3

import pytest

from replay.play.users.acceptance.errors import CoefficientsError
from replay.play.users.recorded_requests import RecordedDecision
from replay.play.users.user import Fitted, Offer, UnknownUserError, user_of
from replay.tapes.lasting_text import Followed
from replay.tapes.tape import Ghost


def offer(text, stood=0, **fields):
    """An offer of which so many characters came to stand at its place."""
    followed = Followed(text, ((5, stood),) if stood else (), (5,) if stood else ())
    known = {"before": "", "after": "", "language": "python", "latency": 100.0, "idle": 150.0}
    return Offer(text=text, followed=followed, **known | fields)


def ghost(phase, text="", request=1):
    return Ghost(0.0, 0, request, phase, 0, text)


def accepts(user, *args, **fields):
    return user_of(user).accepts(offer(*args, **fields))


@pytest.mark.parametrize(("stood", "taken"), [(0, 0), (2, 0), (3, 3)])
def test_exact_accepts_what_came_to_stand_there_to_the_letter_and_nothing_less(stood, taken):
    assert accepts("exact", "abc", stood) == taken


@pytest.mark.parametrize(
    ("stood", "taken"),
    [
        (0, ""),
        (2, ""),
        (3, "sum"),
        (5, "sum("),
        (9, "sum(items"),
        (10, "sum(items"),  # the editor takes the bracket and the line's end at once
        (11, "sum(items)\n"),
        (13, "sum(items)\n"),
        (15, "sum(items)\n    "),
        (20, "sum(items)\n    "),
        (21, "sum(items)\n    return"),
    ],
)
def test_words_accepts_the_whole_words_that_came_to_stand_there(stood, taken):
    text = "sum(items)\n    return"
    assert text[: accepts("words", text, stood)] == taken


def test_words_are_those_of_the_offer_s_language():
    assert accepts("words", "a$b", 1, language="python") == 1
    assert accepts("words", "a$b", 1, language="typescript") == 0


@pytest.mark.parametrize("text", ["abc", "a b\nc", ""])
def test_always_accepts_everything(text):
    assert accepts("always", text) == len(text)


@pytest.mark.parametrize(("passes", "taken"), [(True, 3), (False, 0), (None, 0)])
def test_tests_accepts_what_passes_and_not_what_could_not_be_tested(passes, taken):
    assert accepts("tests", "abc", passes=passes) == taken


def test_only_the_user_tests_has_to_know_what_passes():
    names = ("exact", "words", "always", "tests", "recorded", "model")
    assert [name for name in names if user_of(name).needs_tests] == ["tests"]
    assert [user_of(name).name for name in names] == list(names)


@pytest.mark.parametrize(
    ("then", "taken"),
    [
        (None, 0),
        (RecordedDecision(), 0),
        (RecordedDecision("foo(a)", "", "shown"), 0),
        (RecordedDecision("foo(a)", "", "rejected"), 0),
        (RecordedDecision("foo(a)", "foo(a)", "accepted"), 6),
        (RecordedDecision("foo(a)", "foo", "part"), 3),
        (RecordedDecision("bar", "foo", "accepted"), 3),
        (RecordedDecision(None, "bar", "accepted"), 0),
        (RecordedDecision(None, "foo(a) + 1", "accepted"), 0),
    ],
)
def test_recorded_accepts_what_the_tape_s_person_accepted_where_the_suggestion_begins_with_it(then, taken):
    assert accepts("recorded", "foo(a)", then=then) == taken


@pytest.mark.parametrize(
    ("then", "left"),
    [
        (None, None),
        (RecordedDecision("foo(a)", "", "shown"), "shown"),
        (RecordedDecision("foo(a)", "", "typed-through"), "typed-through"),
        (RecordedDecision("foo(a)", "", "rejected"), "rejected"),
        (RecordedDecision("foo(a)", "fop", "accepted"), None),
        (RecordedDecision("bar", "", "rejected"), None),
        (RecordedDecision(), None),
    ],
)
def test_recorded_ends_the_suggestion_of_then_as_it_ended_then_and_nobody_else_does(then, left):
    offered = offer("foo(a)", 6, then=then)
    assert user_of("recorded").leaves(offered) == left
    assert not any(user_of(name).leaves(offered) for name in ("exact", "words", "always", "tests", "model"))


def test_model_accepts_all_or_nothing_as_the_draw_falls_about_the_probability():
    user = user_of("model")
    assert isinstance(user, Fitted)
    chance = user.model.probability(offer("return total"))
    assert 0 < chance < 1
    draws = (0.0, chance - 1e-9, chance, 0.999)
    assert [accepts("model", "return total", draw=draw) for draw in draws] == [12, 12, 0, 0]


def test_model_with_a_file_weighs_by_it(tmp_path):
    path = tmp_path / "sure.toml"
    path.write_text("format = 1\n[without_confidence]\nintercept = 50.0\nfeatures = {}\n")
    assert accepts(f"model:{path}", "abc", draw=0.999999) == 3
    assert user_of(f"model:{path}").name == f"model:{path}"


def test_model_with_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CoefficientsError, match=r"no\.toml: coefficients cannot be read: No such file"):
        user_of(f"model:{tmp_path}/no.toml")


@pytest.mark.parametrize(
    ("name", "near"), [("nobody", ""), ("exact:1", "exact"), ("", ""), ("Model", "model"), ("wrods", "words")]
)
def test_an_unknown_user_is_refused_with_the_nearest_name_and_all_names_there_are(name, near):
    proposal = rf" \(did you mean '{near}'\?\)" if near else ""
    with pytest.raises(
        UnknownUserError,
        match=rf"no user is called '{name}'{proposal}: choose one of exact, words, always, tests, recorded, model, or model:PATH\.toml",
    ):
        user_of(name)

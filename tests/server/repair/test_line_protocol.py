"""One line of a pipeline: what is kept, what is added, what is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.errors import LineError
from server.repair import chain
from server.repair.draft import Draft
from server.repair.line_protocol import Wishes, refused, repaired
from server.repair.offer import offered
from server.repair.steps.overlap import covered
from syntax.languages import LANGUAGES, language_named, language_of
from tests.support.scale import examples

PYTHON = language_of("python")
HEAD = "def f(x):\n    "


def line(**members):
    return json.dumps({"language": "python", "before": HEAD, "after": "", "completion": "return x", **members})


def out(text, **wishes):
    return json.loads(repaired(text, Wishes(**wishes)))


def test_an_answer_that_is_right_comes_out_as_it_was():
    done = out(line())
    assert (done["repaired"], done["covered"], done["trail"]) == ("return x", 0, [])


def test_each_step_that_changed_something_is_told():
    done = out(line(completion="```python\nreturn (x\n```\n"))
    assert done["repaired"] == "return (x)"
    assert [step["step"] for step in done["trail"]] == ["prose", "brackets"]
    assert done["trail"][0] == {"step": "prose", "before": "```python\nreturn (x\n```\n", "after": "return (x"}


def test_what_is_done_is_what_the_chain_does():
    text = "```\nreturn x\n\ndef g():\n    pass\n```"
    for stop in ("auto", "any", "block", "statement", "line"):
        draft = Draft(PYTHON, HEAD, "\n", text, stop)
        expected = offered(draft, ("prose", "stop"), "none")
        done = out(line(completion=text, after="\n", stop=stop), steps=("prose", "stop"))
        assert done["repaired"] == expected.text
        assert [step["after"] for step in done["trail"]] == [step.after for step in expected.trail]


def test_the_hint_of_a_line_goes_before_that_of_the_flag():
    text = "return x\n    return y"
    assert out(line(completion=text))["repaired"] == text
    assert out(line(completion=text, stop=None), stop="statement")["repaired"] == "return x"
    assert out(line(completion=text, stop="any"), stop="statement")["repaired"] == text


def test_closers_right_of_the_cursor_that_the_completion_has_too_are_covered():
    before, after = "print(f(", "))\n"
    done = out(line(before=before, after=after, completion="x), y)"))
    assert (done["repaired"], done["covered"]) == ("x), y)", 2)
    assert done["covered"] == covered(Draft(PYTHON, before, after, "x), y)", "any"))


def test_a_step_that_was_undone_is_told_as_such(monkeypatch):
    monkeypatch.setattr(chain, "STEPS", {**chain.STEPS, "prose": lambda draft: f"{draft.text} ((("})
    done = out(line(), steps=("prose",))
    assert done["repaired"] == "return x"
    assert done["trail"][0] == {"step": "prose", "before": "return x", "after": "return x (((", "undone": True}


def test_the_papers_rules_drop_comments():
    text = "# what it is\n    return x"
    assert out(line(completion=text))["repaired"] == text
    assert out(line(completion=text), rules="simcopilot")["repaired"] == "return x"


def test_other_members_are_kept_to_the_letter():
    odd = (
        '{"id": 12345678901234567890123, "big":1e400,"t": 1.10, "language":"py","é\\u00e9": "\\u00e9é\\ud83d\\ude00",'
        ' "deep" : {"a":[1,  2]} ,"before": "x = ","completion":"1", "\\u0061": null}'
    )
    done = repaired(odd, Wishes())
    for kept in (
        '"id": 12345678901234567890123',
        "1e400",
        "1.10",
        '"é\\u00e9": "\\u00e9é\\ud83d\\ude00"',
        '{"a":[1,  2]}',
    ):
        assert kept in done
    assert list(json.loads(done)) == [*json.loads(odd), "repaired", "covered", "trail"]


def test_a_line_that_was_repaired_before_is_repaired_anew():
    first = repaired(line(completion="```\nreturn x\n```"), Wishes(steps=()))
    second = repaired(first, Wishes())
    assert json.loads(second)["repaired"] == "return x"
    assert second.count('"repaired"') == second.count('"trail"') == 1


def test_halves_of_a_surrogate_pair_come_out_as_they_went_in():
    done = repaired('{"language":"js","before":"f(\\"\\ud83d","completion":"\\ude00\\ud800\\")"}', Wishes())
    assert done.encode().isascii()
    assert json.loads(done)["repaired"] == '\ude00\ud800")'


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda own: st.lists(own) | st.dictionaries(st.text(), own),
    max_leaves=8,
)


@settings(max_examples=examples(25), deadline=None)
@given(st.dictionaries(st.text(), values), st.text(max_size=40), st.booleans())
def test_any_object_keeps_its_members(others, text, ascii_only):
    mine = {"language": None, "before": "x", "completion": text}
    kept = {
        name: value
        for name, value in others.items()
        if name not in {"repaired", "covered", "trail", "error", "after", "stop"}
    }
    whole = kept | mine
    done = json.loads(repaired(json.dumps(whole, ensure_ascii=ascii_only), Wishes()))
    assert {name: value for name, value in done.items() if name not in {"repaired", "covered", "trail"}} == whole


@settings(deadline=None)
@given(st.text(alphabet='{}[]":,\\ \t01a.-eutrfalsn', max_size=30))
def test_what_is_no_json_for_the_library_is_none_here_and_the_other_way_round(text):
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        value = None
    told = refused(text, "why")
    assert json.loads(told)["error"] == "why"
    assert (told[1:8] != '"error"') == (isinstance(value, dict) and bool(value.keys() - {"error"}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON: Expecting property name"),
        ('{"language": "py", }', "no JSON"),
        ("{} {}", "no JSON: Extra data"),
        ("[1]", "no object"),
        ("null", "no object"),
        ("nonsense", "no JSON: Expecting value"),
        pytest.param('{"a": ' * 100_000, "nested too deeply", id="deep"),
        ("{}", "the object has no `before`"),
        ('{"before": "", "language": "py"}', "the object has no `completion`"),
        ('{"before": "", "completion": ""}', "the object has no `language`; null repairs without"),
        (line(completion=["a"]), '`completion` must be a string, not ["a"]'),
        (line(before=None), "`before` must be a string, not null"),
        (line(after=1), "`after` must be a string, not 1"),
        (line(stop="never"), '`stop` is "never": choose one of auto, line'),
        (line(stop=["any"]), '`stop` is ["any"]'),
        (line(language="cobol"), '`language` "cobol" is not known: python, javascript'),
        (line(language=3), "`language` 3 is not known"),
    ],
)
def test_what_is_no_completion_is_refused_with_the_reason(text, said):
    with pytest.raises(LineError) as caught:
        repaired(text, Wishes())
    assert said in str(caught.value)


def test_a_text_of_no_language_is_repaired_without_its_syntax():
    done = out(line(language=None, completion="```\nDear x,\n```"))
    assert (done["repaired"], done["trail"][0]["step"]) == ("Dear x,", "prose")


@pytest.mark.parametrize(
    ("names", "language"),
    [
        ("python Python py python3", "python"),
        ("javascript js JS nodejs mjs", "javascript"),
        ("typescript ts", "typescript"),
        ("tsx typescriptreact", "typescriptreact"),
        ("java", "java"),
        ("c++ cpp C++ cc cxx c", "cpp"),
        ("c# csharp C# cs c_sharp", "csharp"),
        ("go golang", "go"),
        ("rust rs", "rust"),
        ("ruby rb", "ruby"),
    ],
)
def test_languages_have_the_names_that_people_use(names, language):
    assert {language_named(name) for name in names.split()} == {LANGUAGES[language]}


@pytest.mark.parametrize("name", ["", ".", "pyhton", "text", "py thon"])
def test_other_names_are_not_guessed(name):
    assert language_named(name) is None


def test_a_number_of_any_length_is_kept():
    long = "1" * 5000
    told = repaired(f'{{"language": "py", "before": "", "completion": "x", "n": {long}}}', Wishes())
    assert f'"n": {long}' in told


def test_a_member_called_error_is_kept_unless_there_is_one():
    given = line(completion="x", error="mine")
    assert out(given)["error"] == "mine"
    assert json.loads(refused(given, "no"))["error"] == "no"


def test_a_completion_that_nobody_would_wait_for_is_refused():
    with pytest.raises(LineError, match="65,536 is the most"):
        repaired(line(completion="x" * 70_000), Wishes())

"""Policies by name, with numbers; and the moments of `blocks`."""

import math

import pytest
from msgspec.structs import replace

from replay.play.policies.block_places import block_places
from replay.play.policies.policy import Policy, UnknownPolicyError, policy_names, policy_of
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist


def places(typist):
    """(text before the cursor's last 12 characters, kind, scenario, stop) of each moment of policy `blocks`."""
    timeline = Timeline(typist.tape())
    return [
        (place, part.kind, part.scenario, part.stop)
        for place in block_places(timeline)
        for part in (place, *place.within)
    ]


def named(typist):
    return {(typist_text(typist, place), kind, scenario) for place, kind, scenario, _ in places(typist)}


def typist_text(typist, place):
    """What was typed from the place on, up to the end of its line, in the finished text."""
    timeline = Timeline(typist.tape())
    left, _ = timeline.carried(place.path, place.event, place.offset, place.offset)
    return timeline.final[place.path][left:].split("\n")[0].strip()


def test_functions_ifs_and_statements_begin_where_their_body_was_begun():
    typist = Typist().type("def f(x):\n    if x:\n        return 1\n    return 2\n")
    assert named(typist) == {
        ("if x:", "function", "full"),
        ("return 1", "if", "full"),
        ("return 1", "statement", "full"),
        ("return 2", "function", "inner"),
        ("return 2", "statement", "full"),
    }


def test_braces_make_the_same_moments():
    typist = Typist("a.js", "javascript").type(
        "function f(x) {\n  for (const y of x) {\n    g(y);\n  }\n  return x;\n}\n"
    )
    assert named(typist) == {
        ("for (const y of x) {", "function", "full"),
        ("g(y);", "for", "full"),
        ("g(y);", "statement", "full"),
        ("return x;", "function", "inner"),
        ("return x;", "statement", "full"),
    }


def test_code_that_was_there_before_has_no_moment():
    assert places(Typist(text="def f(x):\n    return x\n").type("# end\n")) == []


def test_a_function_pasted_whole_has_only_the_moment_of_what_comes_after():
    typist = Typist().edit((0, 0, "def f(x):\n    return x\n"), reason="paste")
    assert places(typist) == []


def test_a_body_accepted_in_one_go_begins_before_its_indentation():
    typist = Typist().type("def f(x):").edit((9, 9, "\n    return x\n"), reason="accept")
    assert [(place.offset, kind) for place, kind, _, _ in places(typist)] == [(9, "function"), (9, "statement")]


def test_the_moment_is_where_the_code_that_lasted_was_begun_and_not_a_draft_of_it():
    typist = Typist().type("def f(x):\n    retunr")
    typist.edit((14, 20, ""), reason="delete").type("return x\n")
    moment = places(typist)[0][0]
    assert moment.offset == 14
    assert typist.tape().events[moment.event].changes == ((14, 14, "r"),)


def test_lines_inside_strings_and_comments_are_no_moments():
    typist = Typist().type('def f():\n    a = """\n    text\n    """\n    # note\n    return a\n')
    assert {text for text, _, _ in named(typist)} == {'a = """', "return a"}


def test_lines_that_only_close_are_no_moments():
    typist = Typist().type("def f():\n    return [\n        1,\n    ]\n")
    assert {text for text, _, _ in named(typist)} == {"return [", "1,"}


# Policies by name


def test_the_policies_of_the_project_are_those_it_promises():
    promised = {"vscode", "copilot", "tabby", "continue", "cody", "zed", "pause", "every", "blocks", "recorded"}
    assert promised <= set(policy_names())
    assert all(policy_of(name).about for name in policy_names())


def test_numbers_stand_behind_a_colon():
    assert policy_of("copilot:hold=100,debounce=75") == replace(
        policy_of("copilot"), name="copilot:hold=100,debounce=75", hold=100.0, debounce=75.0
    )
    assert policy_of("vscode: cancels = false ").cancels is False
    assert policy_of("cody:line_start=null").line_start is None


@pytest.mark.parametrize("text", ["pause:250", "pause:debounce=250", "pause:250,cancels=false"])
def test_a_pause_needs_only_its_length(text):
    assert policy_of(text) == replace(policy_of("pause"), name=text, debounce=250.0)


def test_names_are_joined_by_a_plus():
    blocks = policy_of("blocks:at=operator+call,kinds=if+for")
    assert (blocks.at, blocks.kinds) == (("operator", "call"), ("if", "for"))
    assert policy_of("vscode:ignores=undo").ignores == ("undo",)
    assert policy_of("copilot-nes:ignores=").ignores == ()


def test_a_number_of_a_table_within_is_named_with_a_dot_and_the_others_stay():
    tabby = policy_of("tabby:adaptive.max=500,adaptive.first=150,min_suggestion=2")
    assert tabby.adaptive == replace(policy_of("tabby").adaptive, max=500.0, first=150.0)
    assert tabby.min_suggestion == 2


def test_patterns_may_hold_an_equals_sign_and_need_no_quotes():
    assert policy_of("copilot:right=^=?$").right == "^=?$"
    assert policy_of("cody:left_not=1").left_not == "1"


OWN = {
    "ours": {"base": "tabby", "min_suggestion": 1, "adaptive": {"max": 400}, "right": "^[,=]*$"},
    "plain": {"debounce": 80},
    "vscode": {"debounce": 75},
}


def test_policies_of_ones_own_start_from_another_or_from_nothing():
    ours = policy_of("ours", OWN)
    assert (ours.cancels, ours.min_suggestion, ours.right) == (True, 1, "^[,=]*$")
    assert ours.adaptive == replace(policy_of("tabby").adaptive, max=400.0)
    assert policy_of("plain", OWN) == Policy(name="plain", debounce=80.0)
    assert policy_of("ours:adaptive.max=300", OWN).adaptive.max == 300


def test_a_table_that_bears_the_name_of_a_policy_of_the_project_changes_its_numbers():
    assert policy_of("vscode", OWN) == replace(policy_of("vscode"), debounce=75.0)
    assert policy_of("vscode").debounce == 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("impatient", r"no policy is called 'impatient': choose one of vscode, copilot.*pause:250 waits 250 ms"),
        ("", r"no policy is called '': choose one of vscode"),
        (
            "vscod:debounce=75",
            r"no policy is called 'vscod' \(did you mean 'vscode'\?\): choose one of vscode, copilot",
        ),
        (
            "copilot:delay=3",
            r"policy 'copilot:delay=3': .*unknown field `delay`.*a policy has asks, debounce, line_start",
        ),
        ("vscode:debounc=75", r"unknown field `debounc` \(did you mean 'debounce'\?\)$"),
        ("copilot:hold=soon", r"policy 'copilot:hold=soon': Expected `float`, got `str` - at `\$.hold`"),
        ("copilot:hold=-1", r"hold is -1(\.0)?, and must be at least 0"),
        (
            "copilot:hold",
            r"'hold' is no NUMBER=VALUE; what holds a comma goes into \[policies\.NAME\] of ghosttape\.toml",
        ),
        ("copilot:right=[;,]", r"'\]' is no NUMBER=VALUE"),
        ("copilot:=3", r"'=3' is no NUMBER=VALUE"),
        ("vscode:80", r"'80' is no NUMBER=VALUE"),
        ("pause:soon", r"Expected `float`, got `str` - at `\$.debounce`"),
        ("copilot:right=(", r"'\(' is no regular expression"),
        ("blocks:at=nowhere", r"Invalid enum value 'nowhere' - at `\$\.at\[0\]`: choose one of header, inside"),
        ("blocks:kinds=iff", r"Invalid enum value 'iff' .*did you mean 'if'\?"),
        ("tabby:adaptive.most=1", r"unknown field `most` - at `\$\.adaptive`"),
        ("tabby:adaptive.min=-1", r"min is -1(\.0)?, and must be at least 0"),
        ("copilot-nes:backoff.decay=0", r"decay is 0(\.0)?, and must be above 0"),
        ("vscode:backoff.decay=5", r"missing required field"),
        ("vscode:cancels=maybe", r"Expected `bool`, got `str`"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said_with_what_there_is(text, message):
    with pytest.raises(UnknownPolicyError, match=message):
        policy_of(text)


def test_own_policies_are_refused_with_what_there_is():
    with pytest.raises(
        UnknownPolicyError, match=r"policy 'ours' has the base 'impatient': choose one of vscode, copilot"
    ):
        policy_of("ours", {"ours": {"base": "impatient"}})
    with pytest.raises(UnknownPolicyError, match=r"choose one of vscode, .*, blocks, ours"):
        policy_of("theirs", {"ours": {}})
    with pytest.raises(UnknownPolicyError, match=r"hold is inf, and must be at least 0"):
        policy_of("ours", {"ours": {"hold": math.inf}})
    with pytest.raises(UnknownPolicyError, match=r"unknown field `patient`"):
        policy_of("ours", {"ours": {"patient": 3}})

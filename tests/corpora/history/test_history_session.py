"""The hands of a synthesised session: whatever they do on the way, they end in the text of the commit."""

import hashlib
import random
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.history.repository.commit_files import CommitDocument
from corpora.history.session.distributions import named_distributions
from corpora.history.session.typing_session import tasks, typed
from replay.tapes import tape
from replay.tapes.tape import verify
from tests.support.scale import examples

DRAWN = named_distributions()
HEADER = tape.Header(tape=1, id="s", editor="typist", origin="synthesised", workspace=tape.Embedded(), created="2024")
LINES = [
    "def f(a, b=(1, [2])):",
    '    """Say "it\'s" {so}."""',
    "    return {",
    '        "a": f(")", a[0]),',
    "    }",
    "",
    "  ",
    "\tfoo(",
    "\t)",
    "# don't (close",
    "x = '😀é' + `t`",
    "\r",
    "        deeper",
    "back",
    '"""',
    "if a:",
]
CODE = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(st.sampled_from(LINES), max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\r\n"]),
)
ANY = st.one_of(CODE, st.text(st.characters(exclude_categories=["Cs"]), max_size=20))


def sure(**shares):
    """The distributions with these shares at another probability."""
    values = {name: msgspec.structs.replace(getattr(DRAWN, name), p=p) for name, p in shares.items()}
    return msgspec.structs.replace(DRAWN, **values)


CAREFUL = sure(typo=0.0)


def document(old, new, path="a.py"):
    return CommitDocument(path, old, new, hashlib.sha256(new.encode()).hexdigest())


def session(*documents, drawn=CAREFUL, seed=1, elsewhere=()):
    events, count = typed(tasks(documents, elsewhere), random.Random(seed), drawn)
    return tape.Tape(HEADER, tuple(events)), count


def one(old, new, **options):
    path = options.pop("path", "a.py")
    return session(document(old, new, path), **options)[0]


def final(made):
    return verify(made).finished()


def edits(made):
    return [event for event in made.events if isinstance(event, tape.Edit)]


def changes(made):
    return [edit.changes for edit in edits(made)]


@settings(deadline=None)
@given(ANY, ANY, st.sampled_from(["a.py", "a.js", "a.md", "Makefile"]), st.integers(0, 9))
def test_whatever_two_texts_there_are_the_session_ends_in_the_second(old, new, path, seed):
    drawn = sure(typo=0.2, type_over=0.5, selected=0.5, replaced_at_once=0.5, pasted=0.5)
    made = one(old, new, path=path, drawn=drawn, seed=seed, elsewhere=[new])
    assert final(made) == {path: new}
    states = [event.sha256 for event in made.events if isinstance(event, tape.State)]
    assert states == [hashlib.sha256(new.encode()).hexdigest()]


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(CODE, CODE), min_size=2, max_size=4), st.integers(0, 9))
def test_several_documents_in_any_order_all_end_as_they_must(texts, seed):
    documents = [document(old, new, f"{number}.py") for number, (old, new) in enumerate(texts)]
    made, _ = session(*documents, drawn=sure(leaving=0.5), seed=seed)
    assert final(made) == {each.path: each.new for each in documents}


def test_new_code_is_typed_key_by_key_with_the_indentation_that_enter_gives():
    made = one("a = 1\n", "a = 1\nif a:\n    b\n\n\nc = 2\n")
    assert ((11, 11, "\n    "),) in changes(made)
    assert ((18, 22, ""), (22, 22, "\n    ")) in changes(made)
    assert sum(len(new.strip()) for edit in changes(made) for _, _, new in edit) == len("ifa:bc=2")
    assert {edit.reason for edit in edits(made)} == {"type", "delete"}


def test_enter_on_a_line_of_its_own_indentation_takes_that_away():
    made = one("", "if a:\n    b\n\n    c\n")
    assert ((12, 16, ""), (16, 16, "\n    ")) in changes(made)


def test_tabs_are_kept_where_a_file_has_them():
    made = one("def f():\n\ta\n", "def f():\n\ta\n\tif b:\n\t\tc\n")
    assert ((18, 18, "\n\t\t"),) in changes(made)


def test_brackets_close_by_themselves_and_are_typed_over_or_passed():
    new = "f(1)[2]\n"
    over, passed = (one("", new, drawn=sure(typo=0.0, type_over=p)) for p in (1.0, 0.0))
    assert ((1, 1, "()"),) in changes(over)
    assert ((1, 1, "()"),) in changes(passed)
    assert ((3, 4, ")"),) in changes(over)
    assert not any(text == ")" for edit in changes(passed) for _, _, text in edit)
    assert final(over) == final(passed) == {"a.py": new}


def test_a_bracket_that_the_editor_closed_over_several_lines_is_not_typed_again():
    made = one("", "x = [\n    1,\n]\ny\n")
    assert ((5, 5, "\n    \n"),) in changes(made)
    assert not any("]" in text and text != "[]" for edit in changes(made) for _, _, text in edit)


def test_nothing_closes_in_a_file_of_no_known_kind():
    assert ((0, 0, "("),) in changes(one("", "(a)", path="notes"))


def test_a_small_change_of_a_line_leaves_the_rest_of_it_alone():
    made = one("total = add(first, second)\n", "total = add(first, third)\n", drawn=sure(typo=0.0, selected=0.0))
    assert all(start >= 19 and end <= 25 for edit in changes(made) for start, end, _ in edit)
    assert [edit.reason for edit in edits(made)].count("delete") == 5


def test_a_large_part_goes_as_a_selection():
    made = one("a\n" + "gone = 1\n" * 9 + "b\n", "a\nb\n")
    assert changes(made) == [((2, 83, ""),)]
    selected = [event.ranges for event in made.events if isinstance(event, tape.Select)]
    assert selected[0] == ((2, 83),)


def test_a_selection_is_typed_over_or_deleted_first():
    old, new = "some_long_name\n", "x\n"
    assert changes(one(old, new, drawn=sure(typo=0.0, replaced_at_once=1.0))) == [((0, 14, "x"),)]
    assert changes(one(old, new, drawn=sure(typo=0.0, replaced_at_once=0.0))) == [((0, 14, ""),), ((0, 0, "x"),)]


MOVED = "def area(width, height):\n    doubled = width * height\n    return doubled\n"


def test_moved_code_is_pasted_in_one_edit():
    made, count = session(
        document("import os\n", "import os\n\n\n" + MOVED, "new.py"),
        document(MOVED, "", "old.py"),
        drawn=sure(typo=0.0, pasted=1.0),
    )
    [pasted] = [edit for edit in edits(made) if edit.reason == "paste"]
    assert pasted.changes[0][2] == MOVED.rstrip("\n")
    assert count.pastes == 1
    assert final(made) == {"new.py": "import os\n\n\n" + MOVED, "old.py": ""}


def test_code_that_stands_anywhere_in_the_repository_is_pasted_and_else_typed():
    reasons = [
        {edit.reason for edit in edits(one("", MOVED, drawn=sure(pasted=1.0), elsewhere=elsewhere))}
        for elsewhere in ([MOVED], ["import os\n"])
    ]
    assert "paste" in reasons[0]
    assert "paste" not in reasons[1]


@pytest.mark.parametrize("kind", ["neighbour", "transposed", "omitted", "doubled"])
def test_typos_of_each_kind_are_made_and_mended(kind):
    sloppy = msgspec.structs.replace(
        sure(typo=0.5), typo_kind=msgspec.structs.replace(DRAWN.typo_kind, weights={kind: 1.0})
    )
    made, count = session(document("", "alpha beta gamma delta\n"), drawn=sloppy)
    deleted = [edit for edit in edits(made) if edit.reason == "delete"]
    assert count.typos >= 3
    assert len(deleted) >= count.typos
    assert final(made) == {"a.py": "alpha beta gamma delta\n"}


def test_a_doubled_letter_is_taken_back_alone():
    doubled = msgspec.structs.replace(
        sure(typo=1.0),
        typo_kind=msgspec.structs.replace(DRAWN.typo_kind, weights={"doubled": 1.0}),
        noticed_after=msgspec.structs.replace(DRAWN.noticed_after, mean=1.0),
    )
    assert changes(one("", "ab", drawn=doubled))[:3] == [((0, 0, "a"),), ((1, 1, "a"),), ((1, 2, ""),)]


def test_other_line_ends_are_given_by_the_editor_and_not_typed():
    made = one("a\r\nb\r\n", "a\nb\nc\n")
    assert edits(made)[0].reason == "format"
    assert edits(made)[0].changes == ((1, 3, "\n"), (4, 6, "\n"))
    assert final(made) == {"a.py": "a\nb\nc\n"}


def test_only_line_ends_that_change_are_a_session_too():
    assert final(one("a\nb\n", "a\r\nb\r\n")) == {"a.py": "a\r\nb\r\n"}


def test_offsets_are_utf_16():
    assert ((2, 2, "x"),) in changes(one("😀\n", "😀x\n"))


def test_the_clock_never_steps_back_and_no_two_edits_are_at_one_time():
    made, _ = session(document("", MOVED), document("x\n", MOVED * 2, "b.py"), drawn=DRAWN)
    assert all(later.t >= earlier.t for earlier, later in pairwise(made.events))
    assert all(later.t - earlier.t >= 10 for earlier, later in pairwise(edits(made)))


def test_a_document_is_saved_before_another_is_gone_to_and_at_the_end():
    made, _ = session(document("", "a = 1\n"), document("", "b = 1\n", "b.py"))
    order = [type(event).__name__ for event in made.events if isinstance(event, tape.Open | tape.Save | tape.State)]
    assert order == ["Open", "Save", "Open", "Save", "State", "State"]


def test_one_who_leaves_a_document_comes_back_to_it():
    lines = [f"name_{number} = {number}\n" for number in range(20)]
    new = "".join(line.replace("name", "title") if number % 4 == 0 else line for number, line in enumerate(lines))
    documents = [document("".join(lines), new, path) for path in ("a.py", "b.py")]
    restless, steady = (session(*documents, drawn=sure(leaving=p))[0] for p in (1.0, 0.0))
    focused = [sum(isinstance(event, tape.Focus) for event in made.events) for made in (restless, steady)]
    assert focused[0] > focused[1] == 2
    assert final(restless) == final(steady)


def test_hunks_are_gone_through_up_and_down_as_drawn():
    lines = [f"name_{number} = {number}\n" for number in range(12)]
    new = "".join(line.replace("name", "title") if number % 3 == 0 else line for number, line in enumerate(lines))
    starts = [edit[0][0] for edit in changes(one("".join(lines), new, drawn=sure(typo=0.0, downwards=1.0), seed=4))]
    first = starts[0]
    jumps = [start for start in starts if start > first + 20]
    assert jumps == sorted(jumps)


def test_the_same_seed_gives_the_same_session_and_another_another():
    made = [one("", MOVED, drawn=DRAWN, seed=seed) for seed in (1, 1, 2)]
    assert made[0] == made[1]
    assert [event.t for event in made[0].events] != [event.t for event in made[2].events]

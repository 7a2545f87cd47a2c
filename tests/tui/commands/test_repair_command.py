"""`ghosttape repair`: whole streams, broken lines, the choice of steps. Streams that go on and readers that leave are in tests/real."""

import json

import pytest

from tests.support.program import run_here


def piped(tmp_path, words, given, status=0):
    return run_here(tmp_path, "repair", *words, stdin=given, status=status)


def row(number, text="return x", **members):
    return {"id": number, "language": "py", "before": "def f(x):\n    ", "completion": text, **members}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_files_come_out_one_after_the_other_and_a_dash_is_standard_input(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(row(1), row(2)))
    (tmp_path / "b.jsonl").write_bytes(b"\n \n" + lines(row(4)).replace(b"\n", b"\r\n").rstrip())
    done = piped(tmp_path, ["a.jsonl", "-", "b.jsonl"], lines(row(3)))
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1, 2, 3, 4]
    assert done.err == ""


BROKEN = b'{"id": 2, "language": "cobol", "before": "", "completion": "x"}\n'


def test_a_broken_line_ends_it_with_its_place_and_what_came_before_is_written(tmp_path):
    (tmp_path / "in.jsonl").write_bytes(lines(row(1)) + BROKEN + lines(row(3)))
    done = piped(tmp_path, ["in.jsonl"], b"", status=2)
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1]
    assert done.err.startswith('ghosttape: in.jsonl:2: `language` "cobol" is not known: python, ')
    assert "--keep-going" in done.err


def test_with_keep_going_there_is_a_line_for_each_line(tmp_path):
    given = lines(row(1)) + BROKEN + b'{"id": 3, "x": "\xff"}\nnonsense\n' + lines(row(5))
    done = piped(tmp_path, ["--keep-going"], given, status=1)
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [one.get("id") for one in told] == [1, 2, 3, None, 5]
    assert [name for one in told for name in ("repaired", "error") if name in one] == [
        *("repaired", "error", "error", "error", "repaired")
    ]
    assert told[1]["error"].startswith('standard input:2: `language` "cobol"')
    assert told[2]["error"] == "standard input:3: not UTF-8: byte 17 of the line"
    assert told[3] == {"error": "standard input:4: no JSON: Expecting value (character 1)"}
    assert done.err == ""


def test_steps_and_rules_are_chosen(tmp_path):
    text = "```\n# why\n    return (x\n```"
    for words, expected in (
        (["--steps", "none"], text),
        (["--steps", "prose"], "# why\n    return (x"),
        (["--steps", "brackets,prose"], "# why\n    return (x)"),
        (["--paper-rules", "simcopilot"], "return (x)"),
    ):
        assert json.loads(piped(tmp_path, words, lines(row(1, text))).out)["repaired"] == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["."], ".: it is a folder"),
        (["--steps", "hope"], "no repair is called 'hope'"),
        (["--steps", ""], "no repair is named"),
        (["--steps", "prose,all"], "'all' cannot stand beside repairs"),
        (["--stop", "never"], "--stop 'never': choose one of auto, line, statement, block, any"),
        (["--paper-rules", "mine"], "--paper-rules 'mine': choose one of none, codev, simcopilot"),
    ],
)
def test_wrong_use_writes_nothing(tmp_path, words, said):
    done = piped(tmp_path, words, lines(row(1)), status=2)
    assert said in done.err
    assert done.out == ""


def test_of_two_members_of_one_name_the_later_one_counts_and_stays(tmp_path):
    given = b'{"language": "py", "before": "", "completion": "a", "completion": "b"}\n'
    pairs = json.loads(piped(tmp_path, [], given).out, object_pairs_hook=list)
    assert [pair for pair in pairs if pair[0] in {"completion", "repaired"}] == [("completion", "b"), ("repaired", "b")]


def test_nothing_in_nothing_out(tmp_path):
    assert piped(tmp_path, [], b"").out == ""


def test_help_teaches_by_example(here):
    said = here("repair", "--help").out
    assert "ghosttape repair answers.jsonl" in said
    assert "status" in said

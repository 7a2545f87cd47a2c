"""`ghosttape repair` in a pipeline: whole streams, streams that go on, broken lines, readers that leave."""

import json
import os
import pty
import signal
import subprocess

import pytest

from server.repair.draft import Draft
from server.repair.offer import offered
from syntax.languages import language_of
from tests.support.places import SCRIPT
from tests.support.waiting import PATIENCE_S

EACH = 40
"""Answers of each language and model that are compared."""


def piped(tmp_path, words, given, status=0):
    done = subprocess.run(
        [SCRIPT, "repair", *words], cwd=tmp_path, input=given, capture_output=True, check=False, timeout=600
    )
    assert done.returncode == status, done.stderr
    return done


def row(number, text="return x", **members):
    return {"id": number, "language": "py", "before": "def f(x):\n    ", "completion": text, **members}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def start(tmp_path, *words, **pipes):
    return subprocess.Popen(
        [SCRIPT, "repair", *words],
        cwd=tmp_path,
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    )


def published(shared):
    """Answers of both models to instances of every language, as DevBench joins them, with their place in the file."""
    for folder in sorted((shared / "devbench/completions").iterdir()):
        for model in ("gpt-4o", "Ministral-3B"):
            files = sorted(folder.glob(f"*/*-{model}.jsonl"))
            rows = [json.loads(line) for file in files for line in file.read_text().splitlines() if line]
            for at in range(0, len(rows), max(1, len(rows) // EACH)):
                answer = rows[at].get(f"{model}_completion_{at % 5}")
                if answer is not None:
                    places = {"before": rows[at]["prefix"] + "\n", "after": "\n" + rows[at]["suffix"]}
                    yield {"language": folder.name, **places, "completion": answer, "model": model}


@pytest.mark.parametrize("stop", ["any", "auto"])
def test_what_comes_out_is_what_the_chain_makes_of_published_answers(tmp_path, shared, stop):
    given = list(published(shared))
    done = piped(tmp_path, ["--stop", stop], lines(*given)).stdout.splitlines()
    assert len(done) == len(given) >= 400
    changed = 0
    for asked, told in zip(given, map(json.loads, done), strict=True):
        draft = Draft(language_of(asked["language"]), asked["before"], asked["after"], asked["completion"], stop)
        made = offered(draft)
        steps = [(step.step, step.before, step.after, step.undone) for step in made.trail]
        assert {name: told[name] for name in asked} == asked
        assert (told["repaired"], told["covered"]) == (made.text, made.covered)
        told_steps = [
            (step["step"], step["before"], step["after"], step.get("undone", False)) for step in told["trail"]
        ]
        assert told_steps == steps
        changed += bool(steps)
    assert changed >= 20


def test_each_line_comes_out_before_the_next_one_goes_in(tmp_path):
    with start(tmp_path) as process:
        for number in range(3):
            process.stdin.write(lines(row(number, "```\nreturn x\n```")))
            process.stdin.flush()
            told = json.loads(process.stdout.readline())
            assert (told["id"], told["repaired"]) == (number, "return x")
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0


def test_a_reader_who_leaves_ends_it_quietly(tmp_path):
    (tmp_path / "many.jsonl").write_bytes(lines(*(row(number) for number in range(20_000))))
    with start(tmp_path, "many.jsonl") as process:
        assert json.loads(process.stdout.readline())["id"] == 0
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


def test_ctrl_c_ends_it_quietly_and_what_was_done_is_whole(tmp_path):
    with start(tmp_path) as process:
        process.stdin.write(lines(row(1)))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read() == process.stdout.read() == b""


@pytest.mark.parametrize(
    ("closed", "told"),
    [("<&-", b"ghosttape: standard input: it is closed\n"), (">&-", b"ghosttape: standard output: it is closed\n")],
)
def test_a_closed_stream_is_something_the_environment_lacks(tmp_path, closed, told):
    words = ["sh", "-c", f'exec "$0" repair {closed}', SCRIPT]
    done = subprocess.run(words, cwd=tmp_path, input=lines(row(1)), capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (3, told)


def test_what_is_not_needed_may_be_closed(tmp_path):
    (tmp_path / "in.jsonl").write_bytes(lines(row(1)))
    words = ["sh", "-c", 'exec "$0" repair in.jsonl <&- 2>&-', SCRIPT]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, json.loads(done.stdout)["repaired"]) == (0, "return x")


def test_a_person_at_a_terminal_is_told_what_it_waits_for(tmp_path):
    keyboard, terminal = pty.openpty()
    with start(tmp_path, stdin=terminal) as process:
        os.write(keyboard, b"\x04")
        assert process.wait(PATIENCE_S) == 0
        assert b"reads JSON lines from the terminal" in process.stderr.read()
    os.close(terminal)
    os.close(keyboard)

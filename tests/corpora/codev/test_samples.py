"""The file of a corpus of blocks, and what a model sees of a block."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.codev.samples import (
    CodevHead,
    CodevRepository,
    CodevSample,
    InnerPart,
    is_samples_file,
    read_samples,
    write_samples,
)
from corpora.codev.scenes import scenes
from corpora.errors import DataError
from replay.records import Suggestion
from replay.tapes.tape import Tests as ProjectTests
from server.repair.draft import Draft
from server.repair.offer import offered
from syntax.languages import language_of
from syntax.text import length
from tests.support.codev_tasks import task

TEXT = '"""🙂"""\n\n\ndef double(x):\n    y = x * 2\n    return y\n\n\ndef other():\n    pass\n'
BODY = TEXT.index("y = x"), TEXT.index("return y") + len("return y")
HEAD = CodevHead(
    codev=1,
    name="blocks",
    repositories=[
        CodevRepository(
            name="app", folder="/app", tests=ProjectTests(toolchain="python", command="pytest"), passing=1, files={}
        )
    ],
)


def sample(**changes: object) -> CodevSample:
    """The body of `double`; the smiley has two code units."""
    members = {
        "name": "app/a.py#L4-L6/METHOD",
        "repository": "app",
        "language": "python",
        "path": "a.py",
        "block_type": "METHOD",
        "lines": (4, 6),
        "start": BODY[0] + 1,
        "end": BODY[1] + 1,
        "emptied": "pass",
        "function": "double",
        "function_lines": (4, 6),
        "function_end": BODY[1] + 1,
        "tests": ("test_a.py::test_double",),
        "noticed_by": ("test_a.py::test_double",),
    }
    return CodevSample(**(members | changes))


def test_a_corpus_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "blocks.jsonl"
    write_samples(file, HEAD, [sample()])
    assert is_samples_file(file)
    assert read_samples(file) == (HEAD, [sample()])


@pytest.mark.parametrize(
    ("samples", "reason"),
    [([sample(), sample()], "a second block"), ([sample(repository="b")], "names no repository 'b'")],
)
def test_a_corpus_that_contradicts_itself_is_refused(tmp_path: Path, samples: list[CodevSample], reason: str) -> None:
    write_samples(tmp_path / "blocks.jsonl", HEAD, samples)
    with pytest.raises(DataError, match=reason):
        read_samples(tmp_path / "blocks.jsonl")


def test_every_scene_has_the_finished_file_and_hides_what_its_scenario_says() -> None:
    at = TEXT.index("return y")
    inner = InnerPart(start=at + 1, end=at + 9, emptied="")
    nothing = InnerPart(start=BODY[1] + 1, end=BODY[1] + 1)
    first = sample(inner=inner)
    found = {scene.kind: scene for scenario in (1, 2, 3) for scene in scenes(first, TEXT, scenario)}
    found |= {scene.kind: scene for scene in scenes(sample(inner=nothing), TEXT, 2)}
    rest = TEXT[BODY[1] :]
    assert {kind: (scene.middle, scene.hidden, scene.suffix) for kind, scene in found.items()} == {
        "full": (TEXT[slice(*BODY)], "", rest),
        "inner": ("return y", "", rest),
        "empty": ("", "", rest),
        "rest-of-file-gone": (TEXT[slice(*BODY)], rest, ""),
    }
    assert {scene.text for scene in found.values()} == {TEXT}


def test_the_rest_of_the_function_is_hidden_and_what_follows_it_is_seen() -> None:
    first = TEXT.index("y = x")
    statement = sample(block_type="STATEMENT", start=first + 1, end=first + 10)
    gone = next(scene for scene in scenes(statement, TEXT, 3) if scene.kind == "rest-of-function-gone")
    assert (gone.middle, gone.hidden) == ("y = x * 2", "\n    return y")
    assert gone.suffix.startswith("\n\n\ndef other")
    last = TEXT.index("pass", BODY[1])
    bottom = sample(start=last + 1, end=last + 5, function_end=last + 5)
    assert list(scenes(bottom, TEXT, 3)) == [], "nothing but a line break stands behind it"


SCRIPT = """\
class Later<T, E> {
  map(f) {
    return new Later(
      this.promise.then(async (found) => {
        if (found.isErr()) {
          return new Err<T, E>(found.error)
        }

        return new Ok<T, E>(await f(found.value))
      }),
    )
  }
}
"""


def test_the_truth_passes_though_it_has_a_closer_that_is_shown_right_of_the_cursor_behind_what_is_hidden() -> None:
    truth = "return new Err<T, E>(found.error)"
    hidden = SCRIPT[SCRIPT.index(truth) + len(truth) : SCRIPT.index("),\n    )")]
    asked = task(SCRIPT, truth, language="typescript")
    asked = replace(asked, hidden=hidden, after=asked.after.removeprefix(hidden))
    made = offered(Draft(language_of("typescript"), asked.before, asked.after, truth, "any"), ())
    assert (made.text, made.covered) == (truth, 1), "an editor would replace the bracket that it shows"
    at = length(asked.before)
    suggestion = Suggestion(text=made.text, start=at, end=at + made.covered, latency=1.0)
    assert asked.filled(suggestion).text == asked.finished.text == SCRIPT

"""Examples of what becomes of answers and of policies of one's own, by which the tests of the VS Code extension compare it with a replay.

`flights.json` has what is shown of answers that come after further keys, and what is left of a suggestion while it is typed;
`own.json` has policies of a `ghosttape.toml`, with their numbers or their refusal.
"""

from __future__ import annotations

import json
import random
from typing import Any

from replay.play.flights import PendingRequest, Visible, outcome
from replay.play.player_instructions import Answer, Ask
from replay.play.policies.policy import Policy, UnknownPolicyError, policy_of
from replay.records import Moment, Suggestion
from replay.tapes.typing_along import PAIRS
from syntax.text import Change
from tools.vscode.policies import numbers_of

_FLIGHTS = 60
_AT = 10
"""Where the questions of the examples are asked."""
_ANSWERS = ("total = 1\n", "to", "()", "return x\n    y", "", "é\U0001f600y")
_CALLS = ("(a, b)", "([1], 'b')\n", "[x", "{'a': (1)}[0]")
"""Suggestions of which an editor closes brackets and quotes while they are typed."""
_POLICIES = ("vscode", "zed", "tabby:follows=true", "continue:extends=true", "copilot:follows=true,min_suggestion=2")
_OWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ours", {"base": "tabby", "right": r"^[)\],;]*$", "adaptive": {"max": 600}}),
    ("ours:min_suggestion=1", {"base": "tabby", "adaptive": {"max": 600}}),
    ("vscode", {"debounce": 75}),
    ("cody", {"left_not": r"(?a)\W$", "ignores": ["undo"]}),
    ("bare", {"debounce": 120, "cancels": True, "line_start": 5.5}),
    ("late", {"base": "continue", "moves": True, "fresh": 9000, "patience": 0}),
    ("pause", {"debounce": 111}),
    ("pause:90", {"debounce": 111, "follows": True}),
    ("backed", {"base": "copilot-nes", "backoff": {"rejected": 2.5}}),
    ("ours", {"base": "tabbi"}),
    ("ours", {"base": "tabby", "debonce": 3}),
    ("ours", {"base": "tabby", "debounce": -1}),
    ("ours", {"base": "tabby", "cancels": "yes"}),
    ("ours", {"base": "tabby", "adaptive": {"most": 3}}),
    ("ours", {"base": "vscode", "adaptive": {"max": 300}}),
    ("ours", {"base": "vscode", "right": "("}),
    ("theirs", {"base": "zed"}),
)
"""What is named, and the table of the policy that it names; the last one is asked for by another name."""


def flights() -> str:
    """The text of `flights.json`."""
    drawn = random.Random("flights")  # noqa: S311 - examples, and the same ones each time
    shared = {
        "answers": [_answer(drawn) for _ in range(_FLIGHTS)],
        "typed": [_typed(drawn) for _ in range(_FLIGHTS)] + [_closed(drawn) for _ in range(_FLIGHTS)],
    }
    return _by_line(shared)


def own() -> str:
    """The text of `own.json`."""
    named = [(text, {text.partition(":")[0] if text != "theirs" else "mine": table}) for text, table in _OWN]
    return _by_line({"policies": [_made(text, tables) for text, tables in named]})


def _answer(drawn: random.Random) -> dict[str, Any]:
    """An answer that comes after some changes, and what is shown then."""
    name, text = drawn.choice(_POLICIES), drawn.choice(_ANSWERS)
    policy, changes = policy_of(name), _changes(drawn, text)
    visible = drawn.choice((None, None, text[1:] or None, "tal", "other"))
    flying = _flying(text)
    for change in changes:
        flying.pass_over(1, change)
    rest = flying.rest(follows=policy.follows) or ""
    shown = outcome(flying, policy, Visible(1, _AT, visible) if visible else None, rest)
    kept = visible if shown.reason == "does not extend what is shown" else None
    return {
        "policy": name,
        "offset": _AT,
        "text": text,
        "changes": changes,
        "visible": visible,
        "shown": rest if shown.name == "shown" else kept,
    }


def _typed(drawn: random.Random) -> dict[str, Any]:
    """A suggestion on the screen, and what of it is left there after some changes."""
    text = drawn.choice([text for text in _ANSWERS if text])
    changes = _changes(drawn, text)
    left: Visible | None = Visible(1, _AT, text)
    for change in changes:
        left = left.after(1, change) if left else None
    return {"offset": _AT, "text": text, "changes": changes, "left": left.text if left else None}


def _closed(drawn: random.Random) -> dict[str, Any]:
    """A suggestion that is typed in an editor that closes brackets and quotes, mostly as it says."""
    text = drawn.choice(_CALLS)
    left: Visible | None = Visible(1, _AT, text)
    at, closing, changes = _AT, "", []
    for letter in text[: drawn.randrange(1, len(text) + 1)]:
        if closing.startswith(letter):
            at, closing = at + 1, closing[1:]  # typed over
            continue
        key = next((pair for pair in sorted(PAIRS) if pair[0] == letter), letter) if drawn.random() < 0.95 else "#"
        changes.append([(at, at, key)])
        at, closing = at + 1, key[1:] + closing
        left = left.after(1, changes[-1]) if left else None
    return {"offset": _AT, "text": text, "changes": changes, "left": left.text if left else None}


def _changes(drawn: random.Random, text: str) -> list[list[Change]]:
    """Up to three changes, each of one place or two: mostly what the text says next, in one key or several."""
    made: list[list[Change]] = []
    at, rest = _AT, text
    for _ in range(drawn.randrange(4)):
        new, how = rest[: drawn.choice((1, 1, 2, 9))], drawn.random()
        if how < 0.75 and new.isascii():
            made.append([(at, at, new)])
            at, rest = at + len(new), rest[len(new) :]
        else:
            made.append(drawn.choice(([(at, at, "#")], [(at - 1, at, "")], [(2, 2, "x"), (at, at, new)])))
    return [[(start, end, new) for start, end, new in change if new or start < end] for change in made if change]


def _flying(text: str) -> PendingRequest:
    moment = Moment(tape="", event=0, path="a.py", language="python", offset=_AT, line=0, character=_AT, t=0.0)
    suggestion = Suggestion(text=text, start=_AT, end=_AT, latency=0.0)
    return PendingRequest(0.0, 1, Ask(moment, "", ""), Answer(0.0, text, _AT, _AT), suggestion)


def _made(text: str, tables: dict[str, Any]) -> dict[str, Any]:
    try:
        policy: Policy | None = policy_of(text, tables)
    except UnknownPolicyError:
        policy = None
    return {"text": text, "own": tables, "numbers": numbers_of(policy) if policy else None}


def _by_line(shared: dict[str, list[dict[str, Any]]]) -> str:
    """JSON with one example a line."""
    parts = []
    for name, examples in shared.items():
        lines = ",\n".join(f"    {json.dumps(example, ensure_ascii=False)}" for example in examples)
        parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"

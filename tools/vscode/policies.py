"""The policies that the VS Code extension carries out, and examples of when they ask (`tools/vscode/shared_files.py` writes both).

The extension reads the numbers from `src/typing/policies/policies.json`, and its tests compare gates and waits with those of
`replay.play.policies.pacing` (`test/typing/policies/pacing.json`).
"""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec

from replay.play.policies.pacing import Pacer, Situation
from replay.play.policies.policy import Policy, policy_names, policy_of

_FOR_REPLAYS = {"kinds", "at", "name", "asks", "grouping"}
"""Fields that only have a meaning on a tape, or for a tape."""
_WHY_NOT = {
    "recorded": "it asks where the assistant of a tape was asked",
    "blocks": "it goes by the finished text",
    "edits": "it goes by what the person did next",
}
_EXAMPLES = 40
"""Changes in one session of examples: more than the samples that a policy (or its variant below) remembers."""
_VARIANTS = (
    "copilot-nes:rejection_cooldown=0",
    "tabby:adaptive.max=500,adaptive.samples_min=3,adaptive.samples_max=9",
    "zed:throttle=120",
    "pause:250",
    "cody:one_cursor=true",
)
_LEFT = ("", "    ", "return x", "foo(", "})", "a = [1, 2];", "x.", "# só", "end }")
_RIGHT = ("", ")", ") {", "]);", " + 1", "  ", "}`", "é", "_x")
_TYPED = ("a", " ", "\n    ", "foo(bar)", ".", "")


def tables() -> str:
    """The text of `policies.json`: the numbers of each policy that an editor can follow, and why it cannot follow the others."""
    shared = {
        "policies": {name: numbers_of(policy_of(name)) for name in live_policies()},
        "only_replayed": {
            name: _WHY_NOT[policy_of(name).asks] for name in policy_names() if name not in live_policies()
        },
        "defaults": numbers_of(Policy()),
    }
    return json.dumps(shared, indent=2, ensure_ascii=False) + "\n"


def examples() -> str:
    """The text of `pacing.json`: made-up sessions, with what the policies answer."""
    return _compact([_session(name) for name in (*live_policies(), *_VARIANTS)])


def live_policies() -> list[str]:
    """The policies that an editor can follow: those that ask after changes."""
    return [name for name in policy_names() if policy_of(name).asks == "changes"]


def numbers_of(policy: Policy) -> dict[str, Any]:
    """The numbers of a policy that an editor follows, with its patterns as JavaScript reads them."""
    numbers = {key: value for key, value in msgspec.to_builtins(policy).items() if key not in _FOR_REPLAYS}
    return numbers | {name: _pattern(numbers[name]) for name in ("right", "left_not")}


def _pattern(python: str) -> str:
    r"""The pattern in JavaScript's words, whose `\w` and `\W` are always those of ASCII."""
    return python.removeprefix("(?a)")


def _session(name: str) -> dict[str, Any]:
    """A made-up session under a policy: each change, and what the policy answers."""
    drawn = random.Random(name)  # noqa: S311 - examples, and the same ones each time
    pacer, now, steps = Pacer(policy_of(name)), 0.0, []
    for _ in range(_EXAMPLES):
        now += round(drawn.choice((30, 120, 300, 900, 6000)) * drawn.random(), 1)
        steps.append(_step(pacer, _situation(drawn, now), drawn))
    return {"policy": name, "steps": steps}


def _situation(drawn: random.Random, now: float) -> Situation:
    left, right = drawn.choice(_LEFT), drawn.choice(_RIGHT)
    return Situation(
        now=now,
        path=drawn.choice(("a.py", "b.py")),
        line=drawn.randrange(3),
        left=left,
        right=right,
        before=len(left) + drawn.choice((0, 5, 200)),
        after=len(right) + drawn.choice((0, 0, 90)),
        wordless=drawn.random() < 0.3,
        typed=drawn.choice(_TYPED),
        reason=drawn.choice((None, None, "type", "accept", "undo", "redo")),
        cursors=drawn.choice((1, 1, 1, 2)),
        changed=drawn.random() < 0.95,
        moved=drawn.random() < 0.2,
    )


def _step(pacer: Pacer, situation: Situation, drawn: random.Random) -> dict[str, Any]:
    """One change, and what follows it: a request and its answer, and a decision of the person, some of the time."""
    gate = pacer.gate(situation)
    step: dict[str, Any] = {"situation": _said(situation), "gate": gate}
    if not gate:
        accepted = situation.reason == "accept" and drawn.random() < 0.5
        delay = pacer.delay(situation, accepted=accepted)
        sent, latency = pacer.due(situation.now + delay), float(drawn.choice((5, 80, 400)))
        step |= {"accepted": accepted, "delay": delay, "due": sent, "latency": latency}
        step["kept"] = pacer.asked(sent)
        step["cache"] = drawn.choice(("none", "none", "prefix", "typed", "inflight"))
        step["held"] = pacer.held(sent, latency, step["cache"])
        if step["cache"] == "none":
            pacer.answered(latency)
    if drawn.random() < 0.3:
        step["decided"] = drawn.choice(("", "", "one line", "two\nlines"))
        pacer.decided(situation.now, step["decided"])
    return step


def _said(situation: Situation) -> dict[str, Any]:
    """The members of a situation that differ from their defaults, and those without one."""
    defaults = {
        "wordless": False,
        "typed": "",
        "reason": None,
        "focused": True,
        "cursors": 1,
        "changed": True,
        "moved": False,
    }
    return {
        key: value
        for key, value in msgspec.to_builtins(situation).items()
        if key not in defaults or value != defaults[key]
    }


def _compact(sessions: list[dict[str, Any]]) -> str:
    """One step a line, so that a change of the rules shows as changed lines."""
    parts = []
    for session in sessions:
        steps = ",\n".join(f"    {json.dumps(step, ensure_ascii=False)}" for step in session["steps"])
        parts.append(f'  {{"policy": {json.dumps(session["policy"])}, "steps": [\n{steps}\n  ]}}')
    return "[\n" + ",\n".join(parts) + "\n]\n"

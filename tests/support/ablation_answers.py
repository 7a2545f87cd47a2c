"""Answers to every moment of the demo: what was written there, spoilt in ways of which each repair mends one.

`answers(tape)` gives, for each moment in its order, the key of the question, the answer, and what was done to it.
"""

from replay.judge.grafts import hole_of
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from server.providers.recorded import answer_key
from tests.support.places import DEMO

KILLED = {("ledger", 12): "import ledger.budget\noverspent = ledger.budget.overspent"}
"""Right, but two statements where one is wanted, so that `stop` cuts the second off."""
BROKEN = {("ledger", 15): "```python\nimport ledger.budget\nparse_budgets = ledger.budget.parse_budgets\n```"}
"""The same, but not right before `prose` has taken the fence away."""
AS_IT_WAS = {("ledger", 6)}
"""Where saying the loop's head again does no harm, so that no repair is needed."""
RAGGED = {("ledger", 3), ("ledger", 4), ("ledger", 7)}
"""Where what was written has several lines, so that they can be indented wrongly; only Python's tests see that."""


def asked(timeline):
    """Each question of the policy `blocks`."""
    steps = Player(timeline, policy_of("blocks"), user_of("exact"), latency_of("fixed:0", 0, timeline.tape)).play()
    reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return
        reply = Answer(0.0) if isinstance(step, Ask) else None
        if isinstance(step, Ask):
            yield step


def answers(name):
    """Key, answer and the step that mends it, of each moment of a tape."""
    timeline = Timeline(read(DEMO / f"{name}.tape.jsonl"))
    for number, ask in enumerate(asked(timeline)):
        truth = hole_of(timeline, ask.moment, ask.before, ask.after).truth.replace("\r\n", "\n")
        text, step = spoilt(name, number, ask, truth)
        yield answer_key(ask.before, ask.after, ask.moment.stop), text, step


def spoilt(name, number, ask, truth):
    if (name, number) in KILLED | BROKEN:
        return (KILLED | BROKEN)[name, number], "stop"
    if (name, number) in RAGGED:
        return truth.replace("\n", "\n "), "indent"
    ways = {"prose": fenced, "repeats": again, "brackets": closed, "stop": run_on}
    step = [*ways, "nothing"][number % 5]
    return (truth, "") if step == "nothing" or (name, number) in AS_IT_WAS else (ways[step](ask, truth), step)


def fenced(ask, truth):
    return f"Here is the code:\n```\n{truth}\n```\n"


def again(ask, truth):
    """The last two lines of code above, and then the answer."""
    *above, line = ask.before.replace("\r\n", "\n").split("\n")
    said = "\n".join([line for line in above if line.strip()][-2:]).lstrip()
    return f"{said}\n{line}{truth}"


def closed(ask, truth):
    return f"{truth})" if ask.moment.language == "python" else f"{truth}\n}}"


def run_on(ask, truth):
    more = (
        "\nraise RuntimeError\n" if ask.moment.language == "python" else "\n}\n\nthrow new Error();\nfunction more() {"
    )
    return truth + more

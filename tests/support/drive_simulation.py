"""The player in drive mode, with an editor and a count of keys that share nothing with it."""

from replay.judge.grafts import hole_of
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, DidChange, DidOpen, Try
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit, Open
from replay.tapes.timeline import Timeline


class Watched(Player):
    """A player that tells which event of the tape it is at."""

    at = -1

    def _on(self, index, event):
        self.at = index
        yield from super()._on(index, event)


class Done(list):
    """Instructions, with the event at which each came."""

    def __init__(self):
        super().__init__()
        self.events = []


def driven(tape, answer, *, policy="vscode", user="exact", latency="fixed:0"):
    """The player at its end, and all that it asked its shell to do."""
    timeline = Timeline(tape)
    player = Watched(timeline, policy_of(policy), user_of(user), latency_of(latency, 0, tape), drive=True)
    steps, reply, done = player.play(), None, Done()
    try:
        while True:
            step = steps.send(reply)
            reply = answer(step, timeline) if isinstance(step, Ask) else isinstance(step, Try)
            done.append(step)
            done.events.append(player.at)
    except StopIteration:
        return player, done


def offer(text):
    return lambda ask, _: Answer(0.0, text=text, start=ask.moment.offset, end=ask.moment.offset)


def oracle(ask, timeline):
    """What came to stand there, as the judge sees it."""
    hole = "" if ask.spot is None else hole_of(timeline, ask.spot.moment, ask.spot.before, ask.spot.after)
    return offer("" if isinstance(hole, str) else hole.truth)(ask, timeline)


def units(text):
    """A text as a list of UTF-16 code units: an implementation of edits that shares nothing with the player."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def edited(known, changes):
    for start, end, new in sorted(changes, reverse=True):
        assert 0 <= start <= end <= len(known)
        known[start:end] = units(new)


def texts_of(done):
    """What an editor that carries the instructions out ends with, by path."""
    texts = {}
    for step in done:
        if isinstance(step, DidOpen):
            texts[step.path] = units(step.text)
        elif isinstance(step, DidChange):
            assert texts[step.path] == units(step.before), "the player and the editor differ"
            edited(texts[step.path], step.changes)
    return texts


def recorded(tape):
    """What the tape ends with, by path."""
    paths, texts = {}, {}
    for event in tape.events:
        if isinstance(event, Open):
            paths[event.doc] = event.path
            texts[event.path] = units(event.text)
        elif isinstance(event, Edit):
            edited(texts[paths[event.doc]], event.changes)
    return texts


def distance(one, other):
    """Levenshtein's distance, by the textbook."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row, before = [i], row
        for j, right in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right)))
    return row[-1]


def texts_before(tape):
    """The recorded text of the document before each edit."""
    texts, before = {}, {}
    for at, event in enumerate(tape.events):
        if isinstance(event, Open):
            texts[event.doc] = units(event.text)
        elif isinstance(event, Edit):
            before[at] = list(texts[event.doc])
            edited(texts[event.doc], event.changes)
    return before


def characters(text, changes):
    """How many characters changes change."""
    text = units(text) if isinstance(text, str) else text
    return sum(distance(text[start:end], units(new)) for start, end, new in changes)


def keys_counted(tape, done):
    """The keys that were needed, counted from what happened in the editor at which event.

    Each edit by hand at which a document changed is one key, and one for each character that changed more than on the tape
    then, if it did not only delete a selection; each whole accept is one, and each character that was mended or deleted again; undoing all of
    an accept is one.
    """
    hands = {
        at for at, event in enumerate(tape.events) if isinstance(event, Edit) and event.reason in {"type", "delete"}
    }
    changes = [(at, step) for at, step in zip(done.events, done, strict=True) if isinstance(step, DidChange)]
    keys, before, before_events = 0, None, texts_before(tape)
    for at, step in changes:
        if step.cause == "tape" and at in hands:
            own = max(1, characters(before_events[at], tape.events[at].changes))
            deletes = not any(new for _, _, new in step.changes)
            keys += 1 if deletes else 1 + max(0, characters(step.before, step.changes) - own)
        ((start, end, new),) = step.changes if step.cause != "tape" else ((0, 0, ""),)
        old = units(step.before)[start:end]
        keys += step.cause == "accept"
        keys += distance(old, units(new)) if step.cause == "mend" else 0
        if step.cause == "delete":
            keys += (
                1 if before is not None and len(old) == len(units(before.changes[0][2])) else len(old) - len(units(new))
            )
        before = step
    return keys

"""How the requests of a tape ended then, read from its texts, and how they end in a replay of `recorded`."""

from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit, Ghost, walk
from replay.tapes.timeline import Timeline


def live(tape):
    """Request → how it ended on the tape, for those whose end the tape tells."""
    ghosts = {}
    for event in tape.events:
        if isinstance(event, Ghost):
            ghosts.setdefault(event.request, {})[event.phase] = event
    typed = typed_through(tape, {request: told["shown"] for request, told in ghosts.items() if "shown" in told})
    return {request: ending for request, told in ghosts.items() if (ending := of_phases(request, told, typed))}


def of_phases(request, told, typed):
    for phase in ("accepted", "part", "rejected", "empty", "cancelled"):
        if phase in told:
            return phase
    if "shown" not in told:
        return None
    if not told["shown"].text:
        return "empty"  # it only deletes: there is no text to show
    return "typed-through" if request in typed else "shown"


def typed_through(tape, shown):
    """The requests whose text came to stand in the document, key after key: after each one, the document was the old one and a beginning."""
    waiting, done, texts = {}, set(), {}
    for _, event, documents in walk(tape):
        if isinstance(event, Ghost) and event.phase == "shown" and event.text:
            texts[event.request] = documents.texts[event.doc]
            waiting[event.request] = 0
        elif isinstance(event, Edit):
            before = documents.texts[event.doc]
            after = spliced(before, event.changes)
            if after == before:
                continue
            for request in [request for request in waiting if shown[request].doc == event.doc]:
                far = reached(texts[request], shown[request], after)
                if far is None or event.reason not in {None, "type"}:
                    del waiting[request]
                elif far == len(shown[request].text):
                    del waiting[request]
                    done.add(request)
    return done


def spliced(text, changes):
    units = text.encode("utf-16-le", "surrogatepass")
    for start, end, new in sorted(changes, reverse=True):
        units = units[: 2 * start] + new.encode("utf-16-le", "surrogatepass") + units[2 * end :]
    return units.decode("utf-16-le", "surrogatepass")


def reached(text, ghost, after):
    """How much of a suggestion was put into a text so that it became another; None if something else was.

    The editor may have closed the last brackets or quotes that this opened; nothing is left where the suggestion says just that.
    """
    growth = len(after) - len(text)
    for closed in range(max(growth, 0) // 2 + 1):
        put, size = ghost.text[: growth - closed], growth - closed
        behind = "".join(CLOSED[letter] for letter in reversed([letter for letter in put if letter in CLOSED]))[:closed]
        is_possible = len(put) == size and len(behind) == closed
        if is_possible and spliced(text, [(ghost.offset, ghost.offset, put + behind)]) == after:
            return len(ghost.text) if ghost.text[size:] == behind else size
    return None


CLOSED = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}


def replayed(tape, *, latency="tape", policy="recorded"):
    """Request → how it ends in a replay in which each is answered as on the tape."""
    shown = {event.request: event for event in tape.events if isinstance(event, Ghost) and event.phase == "shown"}
    player = Player(Timeline(tape), policy_of(policy), user_of("recorded"), latency_of(latency, 0, tape))
    steps, reply, ended = player.play(), None, {}
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return ended
        reply = answered(step, shown) if isinstance(step, Ask) else None
        if isinstance(step, MomentEnded):
            assert step.moment.request not in ended
            ended[step.moment.request] = step.ending.name


def answered(ask, shown):
    told = shown.get(ask.moment.request)
    return Answer(0.0, text=told.text, start=told.offset, end=told.offset) if told else Answer(0.0)

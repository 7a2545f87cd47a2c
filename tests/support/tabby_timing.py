"""When Tabby asks, computed once more from the description of its `CompletionDebouncer` and `LatencyTracker`."""

from replay.play.player_instructions import Answer
from tests.support.tapes import Typist


def took(base):
    """How long the answer to each request takes, by its number (ms)."""
    return lambda number: base and base + number * 17 % 41


def answering(base):
    """A provider that takes so long, and what it takes is measured."""
    number = iter(range(10_000))

    def answer(ask):
        return Answer(took(base)(next(number)), text="long enough", start=ask.moment.offset, end=ask.moment.offset)

    return answer


def has_word(text):
    return any(char.isascii() and (char.isalnum() or char == "_") for char in text)


def written(quick):
    """A session of bursts and pauses in three places, and its keys: time, what stands left and right in the line, what follows."""
    typist, keys = Typist("a.js", "javascript", "end();\n()\nlast"), []
    for number in range(180):
        gap = quick + number % 5 if number % 9 else [401, 900, 2500, 5000][number // 9 % 4]
        at = [0, 8, len(typist.text)][number // 30 % 3]
        char = "a é_)"[number // 9 % 5]
        typist.edit((at, at, char), gap=gap)
        rest = typist.text[at + 1 :]
        keys.append((typist.t, typist.text[:at].rsplit("\n", 1)[-1] + char, rest.split("\n")[0], rest))
    return typist, keys


def asked(keys, answer_took):
    """The times at which Tabby asks."""
    gaps, answers, base, last, times = [], [], 200, 0, []
    ends = [t for t, *_ in keys[1:]] + [float("inf")]
    for (t, left, line, rest), following in zip(keys, ends, strict=True):
        gap, last = t - last, t
        if gap <= 400:
            gaps = [*gaps, gap][-100:]
            if len(gaps) > 20:
                base = min(400, max(100, sum(gaps) / len(gaps)))
        score = (0 if has_word(left[-1:]) else 0.5) + (0 if has_word(line) else 0.4) + (0 if has_word(rest) else 0.1)
        mean = sum(answers[-10:]) / len(answers[-10:]) if answers else 0
        wait = min(1000, max(100, (3.0 - 1.5 * score) * base - mean))
        if t + wait < following:
            latency = answer_took(len(times))
            times.append(t + wait)
            answers += [latency] if t + wait + latency < following else []
    return times

"""Probes before the statements of a program: each says, once, that it was reached. No line of the program moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from runners.programs.checks import Check

PROBES = "GHOSTTAPE_PROBES"
"""The variable that tells Python's driver where to look: `number:line:column` of statements, with spaces between; columns in bytes."""

_CALLS: Mapping[str, str] = {
    "javascript": "globalThis.__ghosttape_ran__?.({});",
    "typescript": "(globalThis as any).__ghosttape_ran__?.({});",
    "java": "GhosttapeProbe__.ran({});",
    "cpp": 'extern void __ghosttape_ran__(int) __asm__("__ghosttape_ran__"); __ghosttape_ran__({});',
}
_REACHED = re.compile(r"ran ([0-9]{1,6})")

JAVA_PROBE = """
class GhosttapeProbe__ {
    private static final boolean[] RAN = new boolean[4096];
    static void ran(int number) {
        if (RAN[number]) return;
        RAN[number] = true;
        try { Class.forName("ghosttape.witness.Drive").getMethod("ran", int.class).invoke(null, number); }
        catch (ReflectiveOperationException error) { throw new LinkageError("probe", error); }
    }
}
"""
"""What stands behind a Java program with probes: the driver is not on the compiler's class path."""


def with_probes(language: str, text: str, probes: Mapping[int, Check]) -> str:
    """Return the program's text with a probe before each of these statements. Python's probes are set by its driver."""
    if language not in _CALLS or not probes:
        return text
    parts, reached = list[str](), 0
    for at, words in sorted(_insertions(_CALLS[language], probes), key=lambda one: one[0]):
        parts += (text[reached:at], words)
        reached = at
    return "".join((*parts, text[reached:], JAVA_PROBE if language == "java" else ""))


def _insertions(call: str, probes: Mapping[int, Check]) -> Iterator[tuple[int, str]]:
    """Braces around a statement hold it together with its probe, wherever it stands; a declaration must stay outside of them.

    Of two statements one in the other, the outer one comes first in the text, and its brace last.
    """
    ends = list[tuple[int, str]]()
    for number, check in sorted(probes.items(), key=lambda item: (item[1].start, -item[1].end)):
        probe = call.format(number)
        yield check.start, f"{{ {probe} " if check.wrappable else f"{{ {probe} }} "
        if check.wrappable:
            ends.append((check.end, " }"))
    yield from ends


def variables(language: str, text: str, probes: Mapping[int, Check]) -> dict[str, str]:
    """Return the variables by which the driver sets the probes; empty for languages that have them in their text."""
    if language != "python" or not probes:
        return {}
    return {PROBES: " ".join(_places(text, probes))}


def _places(text: str, probes: Mapping[int, Check]) -> Iterator[str]:
    for number, check in probes.items():
        begins = text.rfind("\n", 0, check.start) + 1
        column = len(text[begins : check.start].encode("utf-8", "surrogatepass"))
        yield f"{number}:{text.count(chr(10), 0, check.start) + 1}:{column}"


def reached(said: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the probes that were reached, from the words of the witness."""
    return frozenset(int(found[1]) for word in said if (found := _REACHED.fullmatch(word)))


def placed(checks: Sequence[Check], finished: str, graft: str, hole: tuple[int, int]) -> dict[int, Check]:
    """Return the same statements in a graft, by their numbers: what stands around the hole is in both, at the same distance from an end.

    `hole` is that of the finished program. A statement that does not stand there letter for letter is left out.
    """
    shift = len(graft) - len(finished)
    found = dict[int, Check]()
    for number, check in enumerate(checks):
        by = 0 if check.end <= hole[0] else shift
        moved = Check(check.start + by, check.end + by, check.wrappable)
        if moved.start >= 0 and graft[moved.start : moved.end] == finished[check.start : check.end]:
            found[number] = moved
    return found

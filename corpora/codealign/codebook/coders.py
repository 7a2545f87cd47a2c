"""A codebook by a chat: from what raters said, in their own words, to candidate instructions; and how far two coders agree on it.

As in CodeAlignBench, section 2.2, with a model in the place of the people who code: (1) the first coder goes through the texts in batches and gives each a code, one of the
codebook so far or a new one with its type and words; (2) the second coder, who may be another model, gives each text a code of the finished codebook, and knows
nothing of the first one's choices; (3) Cohen's kappa says how far the two agree beyond chance.

Nothing is guessed. An answer is a JSON array and nothing else (a fence may stand around it); one that cannot be read is asked for once more. A text that no answer
codes, or that one codes twice, with an unknown code or in another form, is counted as `uncoded` and is in no figure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from corpora.codealign.catalogue import instruction, instruction_ids
from corpora.codealign.instruction import InstructionType
from replay.numbers.agreement import cohens_kappa
from server.chat import Chat
from server.prompt import ChatMessage

BATCH = 25
"""The texts of one question."""
NO_CODE = "none"
"""The code of a text that is no instruction that could be given about other code."""
_TRIES = 2
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(?P<inside>.*?)\n\s*```\s*\Z", re.DOTALL)
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_TYPES = "cosmetic (style and readability, no logic), structural (form or construct, same logic), algorithm (another strategy), performance (time or memory), correctness (bugs, edge cases)"
_OPEN = f"""You code what developers said to the authors of programs, as in a thematic analysis. Give each text one code.
A code is an instruction that could be given about any program: an id in lower case with hyphens that begins with a verb, a type, and the instruction in one sentence.
Types: {_TYPES}.
Use a code of the codebook wherever one fits. Make a new one only where none does, and general enough for other programs.
A text that is no instruction, or means nothing outside of its own program, has the code "{NO_CODE}".
Answer with a JSON array and nothing else, with one object for each text:
[{{"text": 1, "code": "add-comments"}}, {{"text": 2, "code": "use-early-exit", "type": "structural", "ask": "Leave the loop as soon as the answer is known."}}, {{"text": 3, "code": "{NO_CODE}"}}]
Only a new code has "type" and "ask"."""
_CLOSED = f"""You code what developers said to the authors of programs. Give each text the one code of the codebook that fits, or "{NO_CODE}" where none does.
Answer with a JSON array and nothing else, with one object for each text: [{{"text": 1, "code": "add-comments"}}, {{"text": 2, "code": "{NO_CODE}"}}]"""


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate instruction, or one of the catalogue (`known`)."""

    id: str
    type: InstructionType
    ask: str
    known: bool = False


class _Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an answer says of one text."""

    text: int
    code: str
    type: InstructionType | None = None
    ask: str = ""


@dataclass(slots=True)
class Coding:
    """What one coder gave: the code of each text by its index, None where there is none; how many answers could not be read."""

    codes: list[str | None]
    unread: int = 0
    new: dict[str, Code] = field(default_factory=dict)


async def coded(
    texts: Sequence[str], first: Chat, second: Chat, notify: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Code texts twice, as one JSON document.

    `codes`: of each candidate that a text has, `id`, `type`, `ask`, whether it is of the catalogue (`known`), its `texts` and how often the second coder gave it; the most frequent first.
    `agreement`: Cohen's kappa over the texts that both have coded, and how many these are (`n`); `none` is a code there. `coders`: of each the `uncoded` texts and the answers
    that could not be read (`unread`). `labels`: the two codes of each text.

    Raises:
        ProviderError: a provider failed.

    """
    catalogue = {id_: _of_catalogue(id_) for id_ in instruction_ids()}
    opened = await _open_coding(texts, first, catalogue, notify)
    used = Counter(code for code in opened.codes if code and code != NO_CODE)
    book = {id_: (catalogue | opened.new)[id_] for id_, _ in used.most_common()}
    closed = await _closed_coding(texts, second, book, notify)
    pairs = [(one, other) for one, other in zip(opened.codes, closed.codes, strict=True) if one and other]
    again = Counter(closed.codes)
    return {
        "texts": len(texts),
        "codes": [
            {**msgspec.to_builtins(code), "texts": [text for text, given in zip(texts, opened.codes, strict=True) if given == id_], "again": again[id_]}
            for id_, code in book.items()
        ],
        "coders": [{"uncoded": each.codes.count(None), "unread": each.unread} for each in (opened, closed)],
        "agreement": cohens_kappa(pairs),
        "labels": [
            {"text": text, "codes": [one, other]}
            for text, one, other in zip(texts, opened.codes, closed.codes, strict=True)
        ],
    }  # fmt: skip


def _of_catalogue(id_: str) -> Code:
    known = instruction(id_)
    return Code(id=id_, type=known.type, ask=known.asks[0], known=True)


async def _open_coding(
    texts: Sequence[str], chat: Chat, catalogue: Mapping[str, Code], notify: Callable[[str], None]
) -> Coding:
    found = Coding([None] * len(texts))
    for start in range(0, len(texts), BATCH):
        notify(f"first coder: {start:,} of {len(texts):,} texts")
        batch = texts[start : start + BATCH]
        given = await _answer(chat, _OPEN, {**catalogue, **found.new}, batch)
        found.unread += given is None
        for number, one in _once(given or ()).items():
            if 1 <= number <= len(batch) and (code := _code(one, catalogue, found.new)):
                found.codes[start + number - 1] = code
    return found


def _code(one: _Given, catalogue: Mapping[str, Code], new: dict[str, Code]) -> str | None:
    """The code that an entry gives; a new one is put into the codebook. None where it is neither known nor whole."""
    if one.code == NO_CODE or one.code in catalogue or one.code in new:
        return one.code
    if one.type is None or not one.ask.strip() or not _ID.fullmatch(one.code):
        return None
    new[one.code] = Code(id=one.code, type=one.type, ask=" ".join(one.ask.split()))
    return one.code


async def _closed_coding(
    texts: Sequence[str], chat: Chat, book: Mapping[str, Code], notify: Callable[[str], None]
) -> Coding:
    found = Coding([None] * len(texts))
    for start in range(0, len(texts) if book else 0, BATCH):
        notify(f"second coder: {start:,} of {len(texts):,} texts")
        batch = texts[start : start + BATCH]
        given = await _answer(chat, _CLOSED, book, batch)
        found.unread += given is None
        for number, one in _once(given or ()).items():
            if 1 <= number <= len(batch) and (one.code in book or one.code == NO_CODE):
                found.codes[start + number - 1] = one.code
    return found


async def _answer(chat: Chat, told: str, book: Mapping[str, Code], batch: Sequence[str]) -> tuple[_Given, ...] | None:
    """What an answer says of the texts of a batch; None where no answer can be read."""
    codes = "\n".join(f"{code.id} ({code.type}): {code.ask}" for code in book.values())
    numbered = "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(batch, 1))
    messages = (
        ChatMessage("system", told),
        ChatMessage("user", f"Codebook:\n{codes}\n\nTexts:\n{numbered}"),
    )
    for sample in range(_TRIES):
        if (given := given_codes(await chat.answer(messages, sample))) is not None:
            return given
    return None


def given_codes(answer: str) -> tuple[_Given, ...] | None:
    """The codes in an answer that is a JSON array of them and nothing else; None where it is not."""
    fenced = _FENCE.match(answer)
    try:
        return msgspec.json.decode(fenced["inside"] if fenced else answer, type=tuple[_Given, ...])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def _once(given: Sequence[_Given]) -> dict[int, _Given]:
    """The entries by text, without the texts that have several."""
    count = Counter(one.text for one in given)
    return {one.text: one for one in given if count[one.text] == 1}

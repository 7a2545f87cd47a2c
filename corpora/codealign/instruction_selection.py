"""Which instructions are meant: by ids, by types, in a file of ids, or in a file of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora.codealign.catalogue import (
    InstructionError,
    instruction,
    instruction_from,
    instruction_ids,
    instructions,
)
from corpora.codealign.instruction import DeveloperInstruction

_COMMENT = "#"


def chosen_instructions(words: str) -> Sequence[DeveloperInstruction]:
    """The instructions that words name, each once, in their order.

    The words are parted by commas. A word is an id, a type (`cosmetic`, `structural`, `semantic`, `algorithm`, `performance`,
    `correctness`) for all of it, a `NAME.toml` with an instruction of one's own, or another file, which holds such words line
    by line (behind `#` stands a comment).

    Raises:
        InstructionError: a word is none of these, or a file cannot be read.

    """
    found = {each.id: each for word in words.split(",") if word.strip() for each in _named(word.strip())}
    if not found:
        raise InstructionError("no instruction is named; `ghosttape instructions list` shows them")
    return tuple(found.values())


def ids_for_a_run(words: str) -> tuple[str, ...]:
    """The ids of the chosen instructions that rules can check, for a run; none for no words.

    Raises:
        InstructionError: a word is not known, names an instruction of one's own, or no rule can check any of them.

    """
    if not words.strip():
        return ()
    chosen = chosen_instructions(words)
    own = [each.id for each in chosen if each.id not in instruction_ids()]
    if own:
        raise InstructionError(f"{', '.join(own)}: a run takes instructions of the catalogue only")
    ids = tuple(each.id for each in chosen if each.by_rule)
    if not ids:
        raise InstructionError(f"{words}: no rule can check these; `ghosttape instructions list` shows which they are")
    return ids


def _named(word: str) -> Iterator[DeveloperInstruction]:
    of_type = [each for each in instructions() if word in {each.type, each.group}]
    if of_type:
        yield from of_type
    elif word.endswith(".toml"):
        yield instruction_from(Path(word))
    elif Path(word).is_file():
        for line in _lines(Path(word)):
            yield from _named(line)
    else:
        yield instruction(word)


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstructionError(f"{path}: cannot be read: {error}") from error
    words = (line.partition(_COMMENT)[0].strip() for line in text.splitlines())
    return (word for word in words if word)

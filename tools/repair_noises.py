"""Noise that models add to right answers, and how much of it the repairs take away: a table of docs/repairs.md.

`python -m tools.repair_noises PAGE PATH…` cuts truths out of files below the paths (and out of DevBench's programs, `*.jsonl`) and out of Python's standard
library, adds each noise to each of them, and replaces the table between the marks in the page. A pair is *restored* if the document comes out as it was.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from server.prompt.special_tokens import SPECIAL, SPELLINGS, name_in_code
from server.repair.draft import DIRECTIVES, Draft, indent_of, step_of, width
from server.repair.offer import offered
from syntax.blocks import closing, constructs, extent, line_end
from syntax.languages import LANGUAGES, Language, language_of
from syntax.parse import Tree, has_error, is_opaque
from syntax.wanted import Extent, Stop, is_after_header, wanted

_BEGIN, _END = "<!-- noises: make repairs -->", "<!-- end of noises -->"
_LARGEST = 8_000
"""Characters of a source; a larger file makes pairs slow and no others."""
_SEED = 32
_MOST_FILES = 20_000
"""The most files of a folder that are looked at."""
_SKIPPED = frozenset({"node_modules", "out", "dist", ".venv", ".git", "site-packages", "__pycache__", "papers"})
_TEXTS = {
    ".css": "css",
    ".html": "html",
    ".ini": "ini",
    ".json": "json",
    ".lua": "lua",
    ".md": "markdown",
    ".rst": "restructuredtext",
    ".sh": "shellscript",
    ".sql": "sql",
    ".toml": "toml",
    ".txt": "plaintext",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
}
"""Languages without a grammar here, by the ends of their files' names."""


@dataclass(frozen=True, slots=True)
class TruthPlace:
    """A place of a `kind` in a document that parses; the draft's text is the truth. `in_text`: in a comment or a string."""

    kind: str
    draft: Draft
    in_text: bool = False
    name: str = ""
    """The language, as editors call it; "" is that of the draft."""

    @property
    def language(self) -> str:
        """The name of the language, known by a grammar or not."""
        return self.name or (self.draft.language.id if self.draft.language else "plaintext")

    @property
    def is_code(self) -> bool:
        """Whether the place is one of code, as a grammar tells."""
        return self.draft.language is not None and not self.in_text

    @property
    def document(self) -> str:
        """The whole document."""
        return self.draft.before + self.draft.text + self.draft.after

    def says(self, text: str) -> Draft:
        """The same place with another answer."""
        return replace(self.draft, text=text)

    @property
    def truth(self) -> str:
        """What stands there."""
        return self.draft.text


Noise: TypeAlias = Callable[[TruthPlace, random.Random], Draft | None]
"""The place with a noisy answer; None where the noise does not fit."""


# Places.


def places(language: Language | None, source: str, rng: random.Random, count: int) -> Iterator[TruthPlace]:
    """Up to `count` places of each kind in a source that parses, or in a text without a grammar, drawn with `rng`."""
    if language is None:
        yield from _text_places(source, rng, count)
        return
    tree = Tree(language, source)
    for kind, found in _starts(language, tree).items():
        for start in rng.sample(found, min(count, len(found))):
            yield from _place(language, source, kind, start)


def _starts(language: Language, tree: Tree) -> Mapping[str, list[int]]:
    """The index of each place, by kind."""
    source, found = tree.text, defaultdict(list)
    for block in constructs(language, source):
        line = source[source.rfind("\n", 0, block.start) + 1 : block.start]
        if block.kind != "statement":
            found["behind a header"].append(block.start)
        elif not line.strip():
            found["at the beginning of a line"].append(block.start)
            found["at the end of the file"].append(block.start)
    for node in tree.leaves():
        start, end = tree.span(node)
        word = source[start:end]
        if is_opaque(node):
            kind = "in a comment" if node.type.endswith("comment") else "in a string"
            inner = [start + match.start() for match in re.finditer(r"(?<=[ \w])\b\w", word) if match.start() > 2]
            found[f"{kind} of several lines" if "\n" in word.rstrip() else kind] += inner
        elif word in {"(", "[", "{"} and node.parent is not None and node.parent.type not in language.blocks:
            found["in brackets"].append(end)
        elif word == "@":
            found["behind @"].append(end)
        elif source[:start].rpartition("\n")[2].strip():
            found["in the middle of a line"].append(start)
        if not is_opaque(node) and len(word) > 3 and word.isidentifier():
            found["in a name"] += [start + at for at in range(2, len(word))]
    for node in tree.nodes():
        name = node.child_by_field_name("name") if language.kinds.get(node.type) == "function" else None
        if name is not None:
            found["in a header"].append(tree.index(name.end_byte))
    return found


def _text_places(source: str, rng: random.Random, count: int) -> Iterator[TruthPlace]:
    """Places in a text without a grammar. Its lines are all that it is known to be made of, so a truth is the rest of a line, or up to three more."""
    found: dict[str, list[int]] = defaultdict(list)
    for line in re.finditer(r"(?m)^[ \t]*(?=\S)(.*)$", source):
        found["at the beginning of a line"].append(line.start(1))
        found["at the end of the file"].append(line.start(1))
        found["in the middle of a line"] += [
            line.start(1) + word.start() for word in re.finditer(r"(?<=[ (\[{:=\"/])\b\w", line[1])
        ]
        found["before the end of a line"] += [
            line.start(1) + word.start() for word in re.finditer(r"(?<= )\b\w(?=.* )", line[1])
        ]
    for kind, starts in found.items():
        for start in rng.sample(starts, min(count, len(starts))):
            yield from _checked(TruthPlace(kind, _text_draft(source, kind, start, rng)))


def _text_draft(source: str, kind: str, start: int, rng: random.Random) -> Draft:
    end = line_end(source, start)
    if kind == "before the end of a line":
        end = start + source[start:end].rindex(" ")
    for _ in range(rng.randint(0, 3) if kind in {"at the beginning of a line", "at the end of the file"} else 0):
        end = line_end(source, end + 1) if source[end : end + 1] else end
    truth = source[start:end].rstrip()
    after = "" if kind == "at the end of the file" else source[start + len(truth) :]
    return Draft(None, source[:start], after, truth, "auto")


def _place(language: Language, source: str, kind: str, start: int) -> Iterator[TruthPlace]:
    before, in_text = source[:start], kind.startswith(("in a comment", "in a string"))
    if kind == "in brackets":
        end = closing(language, source, start) or start
        end = start + len(source[start:end].rstrip())
        if "\n" in source[start:end] or source[start] == "\n":
            return
        yield from _checked(TruthPlace(kind, Draft(language, before, source[end:], source[start:end], "auto")))
        return
    if in_text:
        tree = Tree(language, source)
        node = next(node for node in tree.leaves(start, start + 1) if tree.span(node)[1] > start)
        closer = re.search(r"\s*(?:\"\"\"|'''|\*/|[\"'`]#*|/\w*)?\Z", source[: tree.span(node)[1]])
        end = closer.start() if closer and not node.type.endswith("line_comment") else line_end(source, start)
        if " of several lines" not in kind:
            end = min(end, line_end(source, start))
        yield from _checked(TruthPlace(kind, Draft(language, before, source[end:], source[start:end], "auto"), True))
        return
    wish: Extent = "block" if is_after_header(language, before) else "statement"
    end = extent(language, source, start, wish)
    after = "" if kind == "at the end of the file" else source[end:]
    hint: Stop = "auto" if wanted(language, before, after, "auto") == wish else wish
    yield from _checked(TruthPlace(kind, Draft(language, before, after, source[start:end], hint)))


def _checked(place: TruthPlace) -> Iterator[TruthPlace]:
    """The place if there is a truth, no longer than answers are, without white space around it."""
    if place.truth and place.truth == place.truth.strip() and len(place.truth) <= 600:
        yield place


# Noises: special tokens.


def _token_behind(place: TruthPlace, rng: random.Random) -> Draft:
    return place.says(place.truth + rng.choice(SPELLINGS))


def _token_and_more(place: TruthPlace, rng: random.Random) -> Draft:
    return place.says(f"{place.truth}{rng.choice(_ENDS)}{rng.choice(['', chr(10)])}import os\n\nos.exit(1)\n")


def _token_cut_off(place: TruthPlace, rng: random.Random) -> Draft:
    token = rng.choice([token for token in SPELLINGS if len(token) > 6 and token[0] in "<["])
    return place.says(place.truth + token[: rng.randint(6, len(token) - 1)])


def _token_in_other_letters(place: TruthPlace, rng: random.Random) -> Draft:
    token = rng.choice(_ENDS)
    return place.says(place.truth + (token.upper() if token.islower() else token.lower()))


def _token_before(place: TruthPlace, rng: random.Random) -> Draft | None:
    return place.says(rng.choice(_BEGINNINGS) + place.truth)


def _turn(place: TruthPlace, rng: random.Random) -> Draft:
    opener, closer = rng.choice(_TURNS)
    return place.says(f"{opener}{place.truth}{closer}")


def _thought(place: TruthPlace, rng: random.Random) -> Draft:
    opener, closer = rng.choice(_THOUGHTS)
    return place.says(f"{opener}Okay, the user wants the rest of this.\nLet me think: x = f(1).{closer}{place.truth}")


def _end_of_thought(place: TruthPlace, _: random.Random) -> Draft:
    return place.says(f"Okay, the user wants the rest of this.\nLet me think: x = f(1).\n</think>\n{place.truth}")


_OF_TOKENS = frozenset(
    {
        _token_behind,
        _token_and_more,
        _token_cut_off,
        _token_in_other_letters,
        _token_before,
        _turn,
        _thought,
        _end_of_thought,
    }
)
"""Left out where the document has special tokens of its own."""
_ENDS = (
    *(
        "<|endoftext|>",
        "<|im_end|>",
        "<|eot_id|>",
        "<EOT>",
        "</s>",
        "<eos>",
        "<end_of_turn>",
        "<file_sep>",
        "<fim_middle>",
        "[SUFFIX]",
    ),
    *(
        "<|fim_pad|>",
        "<|file_separator|>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "<|return|>",
        "<|end|>",
        "</COMPLETION>",
    ),
    *("<|END_OF_TURN_TOKEN|>", "<fim-prefix>", "<|endofmask|>", "[/INST]"),
)
_BEGINNINGS = (
    "<s>",
    "<bos>",
    "<COMPLETION>",
    "<|fim_middle|>",
    "<MID>",
    "<fim_middle>",
    "[MIDDLE]",
    "<|CURSOR|>",
    "<\uff5cfim\u2581end\uff5c>",
)
_TURNS = (
    ("<|im_start|>assistant\n", "<|im_end|>"),
    ("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    ("<start_of_turn>model\n", "<end_of_turn>"),
    ("<|start|>assistant<|channel|>final<|message|>", "<|return|>"),
    ("<|channel|>analysis<|message|>We add.<|end|><|start|>assistant<|channel|>final<|message|>", "<|return|>"),
    ("<COMPLETION>", "</COMPLETION>"),
    ("<|assistant|>\n", "<|end|>"),
    ("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),
)
_THOUGHTS = (
    ("<think>\n", "\n</think>\n\n"),
    ("<thinking>", "</thinking>\n"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysisWe need to see. ", "assistantfinal"),
)


# What stands right of the cursor or below, said again.


def _rest_of_line(place: TruthPlace, _: random.Random) -> Draft | None:
    rest = place.draft.line_after.rstrip()
    return place.says(place.truth + rest) if rest.strip() else None


def _end_of_construct(place: TruthPlace, _: random.Random) -> Draft | None:
    """The rest of a string or a comment again, up to the line that closes it."""
    closer = re.match(r"\n[ \t]*(?:\"\"\"|'''|\*/|`)[^\n]*", place.draft.after)
    return place.says(place.truth + closer[0]) if place.in_text and closer else None


def _closer_below(place: TruthPlace, _: random.Random) -> Draft | None:
    closer = re.match(r"\n[ \t]*(?:[)\]}][)\]};,]*|end)(?=\n|\Z)", place.draft.after)
    return place.says(place.truth + closer[0]) if closer and not place.in_text else None


def _code_below(place: TruthPlace, _: random.Random) -> Draft | None:
    below = [line for line in place.draft.after.split("\n")[1:4] if line.strip()]
    fits = not place.draft.line_after.strip() and len(below) > 1 and max(map(len, below)) > 20
    return place.says("\n".join([place.truth, *below])) if fits and not place.in_text else None


def _line_before(place: TruthPlace, _: random.Random) -> Draft | None:
    line = place.draft.line_before.lstrip()
    return place.says(line + place.truth) if len(line.split()) > 1 and not place.in_text else None


def _name_at_cursor(place: TruthPlace, _: random.Random) -> Draft | None:
    """The name that the cursor stands in from its beginning, or from that of what it is a member of."""
    begun = re.search(r"[^\W\d]\w*(?:(?:\.|::|->)\w+)*$", place.draft.line_before)
    return place.says(begun[0] + place.truth) if begun and place.kind == "in a name" else None


def _sign_at_cursor(place: TruthPlace, _: random.Random) -> Draft | None:
    """The sign left of the cursor, which cannot stand there twice."""
    line = place.draft.line_before.rstrip()
    fits = place.is_code and line[-1:] in _ONCE and line[-2:-1] != line[-1:]
    return place.says(line[-1] + place.truth) if fits else None


def _comment_again(place: TruthPlace, _: random.Random) -> Draft | None:
    """The comment in which the cursor stands, from its mark on."""
    mark = place.draft.language.line_comment if place.draft.language else ""
    line = place.draft.line_before.lstrip()
    return (
        place.says(line + place.truth)
        if place.kind == "in a comment" and mark and line.startswith(f"{mark} ")
        else None
    )


_ONCE = frozenset(".@")

# White space.


def _leading_spaces(place: TruthPlace, rng: random.Random) -> Draft | None:
    fresh = not place.draft.line_before.strip()
    fits = place.is_code if fresh else place.draft.before[-1] in (" ([" if place.is_code else " ")
    return place.says(" " * (rng.randint(1, 5) if fresh else 1) + place.truth) if fits and not place.in_text else None


def _leading_newline(place: TruthPlace, _: random.Random) -> Draft | None:
    line = place.draft.line_before
    return (
        place.says(f"\n{indent_of(line)}{place.truth}") if line.strip() and line[-1] == " " and place.is_code else None
    )


def _doubled_indentation(place: TruthPlace, _: random.Random) -> Draft | None:
    line = place.draft.line_before
    return place.says(line + place.truth) if line and line.isspace() else None


def _body_without_line_end(place: TruthPlace, _: random.Random) -> Draft | None:
    """The cursor at the end of the header, and the body behind it on the same line."""
    return _behind_header(place, place.truth)


def _body_with_indentation_alone(place: TruthPlace, _: random.Random) -> Draft | None:
    """The same, with the indentation of the body's own line."""
    return _behind_header(place, place.draft.line_before + place.truth)


def _behind_header(place: TruthPlace, body: str) -> Draft | None:
    before = place.draft.before.rstrip()
    is_next_line = place.draft.before == f"{before}\n{place.draft.line_before}"
    fits = place.is_code and is_next_line and is_after_header(place.draft.language, before) and before[-1] in ":{"
    wish: Stop = "block" if place.draft.stop == "auto" else place.draft.stop
    return replace(place.draft, before=before, text=body, stop=wish) if fits and not place.draft.line_after else None


def _crlf(place: TruthPlace, _: random.Random) -> Draft | None:
    fits = "\n" in place.draft.before + place.draft.after
    return place.says(place.truth.replace("\n", "\r\n") + "\r\n") if fits else None


def _lf_in_crlf(place: TruthPlace, _: random.Random) -> Draft | None:
    before, after = (text.replace("\n", "\r\n") for text in (place.draft.before, place.draft.after))
    return replace(place.draft, before=before, after=after) if "\n" in place.truth else None


def _no_break_spaces(place: TruthPlace, _: random.Random) -> Draft | None:
    fits = " " in place.truth and place.is_code and not re.search(r"[\"'`#/%]", place.truth)
    return place.says(place.truth.replace(" ", "\u00a0")) if fits else None


def _zero_width(place: TruthPlace, rng: random.Random) -> Draft | None:
    mark = rng.choice("\u200b\ufeff\u2060")
    at = rng.choice([0, len(place.truth), *(match.end() for match in re.finditer(r"\w+", place.truth))])
    return None if place.in_text else place.says(place.truth[:at] + mark + place.truth[at:])


def _trailing_blank_lines(place: TruthPlace, rng: random.Random) -> Draft | None:
    return (
        None
        if place.draft.line_after.strip()
        else place.says(place.truth + "\n" * rng.randint(1, 4) + " " * rng.choice([0, 4]))
    )


# Chat.


def _fence(place: TruthPlace, rng: random.Random) -> Draft | None:
    tag = rng.choice(["", place.language])
    return None if not place.is_code else place.says(f"```{tag}\n{place.truth}\n```{rng.choice(['', chr(10)])}")


def _fence_cut_off(place: TruthPlace, _: random.Random) -> Draft | None:
    return None if not place.is_code else place.says(f"```{place.language}\n{place.truth}")


def _fence_behind(place: TruthPlace, _: random.Random) -> Draft | None:
    return None if not place.is_code else place.says(f"{place.truth}\n```")


def _chat_and_fence(place: TruthPlace, rng: random.Random) -> Draft | None:
    opening, ending = rng.choice(_OPENINGS), rng.choice(["", *_ENDINGS])
    return None if not place.is_code else place.says(f"{opening}\n\n```{place.language}\n{place.truth}\n```\n{ending}")


def _opening(place: TruthPlace, rng: random.Random) -> Draft | None:
    return None if not place.is_code else place.says(f"{rng.choice(_OPENINGS)}\n\n{place.truth}")


def _ending(place: TruthPlace, rng: random.Random) -> Draft | None:
    fits = place.is_code and not place.draft.line_after.strip()
    return place.says(f"{place.truth}\n\n{rng.choice(_ENDINGS)}") if fits else None


_OPENINGS = (
    "Sure! Here's the completed code:",
    "Here is the code that completes the function:",
    "To complete the code, we need the following lines.",
    "Certainly, the missing part is:",
)
_ENDINGS = (
    "This code handles the remaining cases and returns the result.",
    "Explanation: the value is computed first and then returned.",
    "Let me know if you need anything else!",
    "**Note:** this assumes that the input is valid.",
)


# Forms in which an answer is presented.


def _numbered(place: TruthPlace, rng: random.Random) -> Draft | None:
    """The lines with their numbers, the first with its indentation, as an agent reads a file."""
    first, sign = place.draft.before.count("\n") + 1, rng.choice([" | ", ": ", "|", "\t"])
    lines = f"{indent_of(place.draft.line_before)}{place.truth}".split("\n")
    numbered = "\n".join(f"{number}{sign}{line}" for number, line in enumerate(lines, start=first))
    return place.says(numbered) if _is_own_line(place) else None


def _of_a_diff(place: TruthPlace, _: random.Random) -> Draft | None:
    lines = f"{indent_of(place.draft.line_before)}{place.truth}".split("\n")
    return place.says("\n".join(f"+{line}" for line in lines)) if _is_own_line(place) else None


def _label(place: TruthPlace, rng: random.Random) -> Draft | None:
    label = rng.choice(["Completion:", "Output:\n", "**Answer:**\n", "Code: "])
    return place.says(label + place.truth) if place.is_code else None


def _language_before(place: TruthPlace, _: random.Random) -> Draft | None:
    return place.says(f"{place.language}\n{place.truth}") if place.is_code else None


def _is_own_line(place: TruthPlace) -> bool:
    return place.is_code and not place.draft.line_before.strip() and not place.draft.line_after.strip()


# More than was asked for.


def _second_definition(place: TruthPlace, _: random.Random) -> Draft | None:
    language = place.draft.language
    if language is None or place.kind not in {"behind a header", "in a header", "behind @"}:
        return None
    lead = indent_of(_header_line(place))
    more = "\n".join(lead + line if line else "" for line in _DEFINITIONS[language.id].split("\n"))
    closer = re.match(r"\n[ \t]*(?:\}|end)(?=\n|\Z)", place.draft.after) if place.kind == "behind a header" else None
    if closer is None and place.kind == "behind a header" and not language.layout:
        return None
    return place.says(f"{place.truth}{closer[0] if closer else ''}\n\n{more}")


def _header_line(place: TruthPlace) -> str:
    return next((line for line in reversed(place.draft.before.split("\n")) if line.strip()), "")


def _call_begun(place: TruthPlace, _: random.Random) -> Draft | None:
    name = re.search(r"[\w.:]+\($", place.draft.before)
    return place.says(f"{name[0]}{place.truth})") if name and place.kind == "in brackets" else None


_SCRIPT = "function extra(x) {\n  return x + 1;\n}"
_DEFINITIONS = {
    "python": "def extra(x):\n    return x + 1",
    "javascript": _SCRIPT,
    "javascriptreact": _SCRIPT,
    "typescript": _SCRIPT,
    "typescriptreact": _SCRIPT,
    "java": "int extra(int x) {\n    return x + 1;\n}",
    "cpp": "int extra(int x) {\n    return x + 1;\n}",
    "csharp": "int Extra(int x)\n{\n    return x + 1;\n}",
    "go": "func extra(x int) int {\n\treturn x + 1\n}",
    "rust": "fn extra(x: i32) -> i32 {\n    x + 1\n}",
    "ruby": "def extra(x)\n  x + 1\nend",
}
NOISES: Mapping[str, Noise] = {
    "nothing": lambda place, _: place.draft,
    "a special token behind it": _token_behind,
    "a special token and what comes then": _token_and_more,
    "a special token that is cut off": _token_cut_off,
    "a special token in other letters": _token_in_other_letters,
    "a special token before it": _token_before,
    "a turn of a chat around it": _turn,
    "a thought before it": _thought,
    "a thought that a template began": _end_of_thought,
    "the rest of the line again": _rest_of_line,
    "the end of a string or comment again": _end_of_construct,
    "the closer below again": _closer_below,
    "the code below again": _code_below,
    "the cursor's line again": _line_before,
    "the name at the cursor again": _name_at_cursor,
    "the sign at the cursor again": _sign_at_cursor,
    "the comment at the cursor again": _comment_again,
    "leading spaces": _leading_spaces,
    "a leading line end": _leading_newline,
    "a doubled indentation": _doubled_indentation,
    "a body without its line end": _body_without_line_end,
    "a body without its line end, indented": _body_with_indentation_alone,
    "CRLF in a document with LF": _crlf,
    "LF in a document with CRLF": _lf_in_crlf,
    "no-break spaces": _no_break_spaces,
    "a zero-width character": _zero_width,
    "blank lines behind it": _trailing_blank_lines,
    "a fence around it": _fence,
    "a fence that is not closed": _fence_cut_off,
    "a closing fence behind it": _fence_behind,
    "a chat with a fence": _chat_and_fence,
    "a phrase before it": _opening,
    "a sentence behind it": _ending,
    "numbers of lines": _numbered,
    "the marks of a diff": _of_a_diff,
    "a label before it": _label,
    "the name of the language before it": _language_before,
    "a second definition": _second_definition,
    "the call begun again": _call_begun,
}
"""Every noise by name; `nothing` is the truth alone."""


# What no rule can decide.


def _reads_as_name(noisy: Draft, place: TruthPlace) -> bool:
    """The token is the name of an element or of a reference in a text (`<think>`, `[suffix]`), or in code an argument or an index of the name left of the cursor, and parses."""
    found = [match for match in SPECIAL.finditer(noisy.text) if name_in_code(match[0])]
    if not place.is_code:
        return any(
            len(name_in_code(match[0]) or "") > 3 and match[0].strip("<[/]>").isalpha() and match[0].islower()
            for match in found
        )
    first = SPECIAL.match(noisy.text)
    behind = noisy.before[-1:].isidentifier() and first is not None and name_in_code(first[0]) is not None
    return behind and noisy.errors() <= noisy.errors(place.truth)


def _may_be_a_line(noisy: Draft, place: TruthPlace) -> bool:
    """A line of a text is the answer, as far as anything tells before its end."""
    return place.in_text or (not place.is_code and noisy.wanted == "line")


def _has_no_letter(noisy: Draft, place: TruthPlace) -> bool:
    """What stands right of the cursor in a text has no letter: a cell of a table can be empty, and a number can come twice."""
    return not place.is_code and not re.search(r"[^\W\d_]", noisy.line_after)


def _is_short(noisy: Draft, place: TruthPlace) -> bool:
    """The line has fewer than two words in a text; in code it ends in the middle of an expression, which parses with itself as an operand."""
    line = noisy.line_before.rstrip()
    if place.is_code:
        return not (line[-1].isalnum() or line[-1] in ")]}\"'`_=") and noisy.errors() <= noisy.errors(place.truth)
    return sum(not word.isdigit() for word in re.findall(r"\w+", line)) < 2


def _is_aligned(noisy: Draft, place: TruthPlace) -> bool:
    """A line within five has several spaces or a tab in its middle, a closer follows, or the line above is a header that is as deep as the cursor."""
    above, below = noisy.before.split("\n")[-5:], noisy.after.split("\n")[:5]
    runs = any(re.search(r"[^\s.!?](?: {2,}|\t)\s*\S", line) for line in [*above, *below])
    if noisy.line_before.strip():
        return runs or place.truth[0] in ")]}"
    return _is_level(noisy) and re.search(r"(?:[{(\[:=,]|\w)$", _line_above(noisy)) is not None


def _may_break(noisy: Draft, place: TruthPlace) -> bool:
    """The cursor's line ends with what opens or ends something, or a closer follows."""
    return noisy.line_before.rstrip()[-1] in "{([;" or place.truth[0] in ")]}"


def _may_be_deeper(noisy: Draft, place: TruthPlace) -> bool:
    """In a text: the line above is deeper, or is as deep and no paragraph goes on, or an item of a list begins."""
    above = _line_above(noisy)
    deeper = width(indent_of(above)) > width(noisy.line_before)
    item = re.match(r"(?:[-*+\u2022]|\d+[.)])\s", place.truth) is not None
    goes_on = noisy.before.endswith(f"{above}\n{noisy.line_before}") and len(above.split()) > 4 and len(above) >= 40
    return not place.is_code and (deeper or (_is_level(noisy) and (item or not goes_on)))


def _is_level(noisy: Draft) -> bool:
    return width(indent_of(_line_above(noisy))) == width(noisy.line_before)


def _line_above(noisy: Draft) -> str:
    return noisy.before.removesuffix(noisy.line_before).rstrip().rpartition("\n")[2]


def _ends_with_directive(noisy: Draft, place: TruthPlace) -> bool:
    """The answer ends the file with a line for the preprocessor, to which its line end belongs."""
    last = place.truth.rpartition("\n")[2].lstrip()
    return place.is_code and not noisy.after and last.startswith("#") and place.language in DIRECTIVES


def _has_odd_step(noisy: Draft, place: TruthPlace) -> bool:
    """The body is not one step of its document deeper than its header, or the document has no other line by which to tell a step."""
    step = step_of(f"{noisy.before}\n{noisy.after}")
    return width(place.draft.line_before) != width(indent_of(noisy.line_before)) + (step or -1)


def _is_one_sum(noisy: Draft, _: TruthPlace) -> bool:
    """One line at the left edge, which may be a number with its sign or the rest of a sum."""
    return not noisy.line_before and "\n" not in noisy.text


def _may_be_a_range(noisy: Draft, place: TruthPlace) -> bool:
    """Two dots are a range in the language."""
    return noisy.text.startswith(".") and place.language in {"csharp", "ruby", "rust"}


def _names_something(_: Draft, place: TruthPlace) -> bool:
    """What reads as a label names an argument, or is an annotation that calls nothing."""
    named = place.kind == "in brackets" and place.language in {"csharp", "ruby"}
    return named or (place.language == "python" and "(" not in re.split(r"[=\n]", place.truth, maxsplit=1)[0])


UNDECIDABLE: Mapping[str, Callable[[Draft, TruthPlace], bool]] = {
    "a special token behind it": _reads_as_name,
    "a special token and what comes then": _reads_as_name,
    "a special token in other letters": _reads_as_name,
    "a special token before it": _reads_as_name,
    "a thought that a template began": _may_be_a_line,
    "the rest of the line again": _has_no_letter,
    "the cursor's line again": _is_short,
    "leading spaces": _is_aligned,
    "the sign at the cursor again": _may_be_a_range,
    "the marks of a diff": _is_one_sum,
    "a label before it": _names_something,
    "a leading line end": _may_break,
    "a doubled indentation": _may_be_deeper,
    "CRLF in a document with LF": _ends_with_directive,
    "blank lines behind it": _ends_with_directive,
    "a body without its line end": _has_odd_step,
    "a body without its line end, indented": _has_odd_step,
}
"""Noises with which an answer can be what a person means, and when it can: such pairs are counted apart. Each rule looks at the pair alone, not at the repairs."""


# Outcomes.


@dataclass(frozen=True, slots=True)
class Pair:
    """A truth with a noise, and what came of it."""

    noise: str
    place: TruthPlace
    noisy: Draft
    made: str

    @property
    def decidable(self) -> bool:
        """Whether the noisy answer cannot be what a person means."""
        rule = UNDECIDABLE.get(self.noise)
        return rule is None or not rule(self.noisy, self.place)

    @property
    def restored(self) -> bool:
        """Whether the document came out as it was, with the line ends that it had."""
        crlf = "\r\n" in self.noisy.before + self.noisy.after
        return self.made == (self.place.document.replace("\n", "\r\n") if crlf else self.place.document)

    @property
    def worse(self) -> bool:
        """Whether the document parsed with the noisy answer and does not with the repaired one."""
        draft = self.noisy
        return (
            draft.language is not None
            and has_error(draft.language, self.made)
            and not has_error(draft.language, draft.before + draft.text + draft.after)
        )


def pairs(place: TruthPlace, rng: random.Random, noises: Mapping[str, Noise] = NOISES) -> Iterator[Pair]:
    """The place with each noise that fits it, repaired."""
    has_tokens = SPECIAL.search(place.document) is not None
    for name, noise in noises.items():
        noisy = None if noise in _OF_TOKENS and has_tokens else noise(place, rng)
        if noisy is not None:
            made = offered(noisy)
            yield Pair(name, place, noisy, noisy.before + made.text + noisy.after[made.covered :])


def sources(paths: Iterable[Path]) -> Mapping[str, list[str]]:
    """The texts below some paths by the name of their language, in an order that `_SEED` draws. What has a grammar parses."""
    found = defaultdict(list)
    for name, text in (pair for path in paths for pair in _texts(path)):
        if 200 < len(text) <= _LARGEST and "\r" not in text:
            found[name].append(text)
    return {name: random.Random(_SEED).sample(texts, len(texts)) for name, texts in found.items()}  # noqa: S311 - a sample


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The language and the text of each file."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    drawn = random.Random(_SEED).sample(files, min(len(files), _MOST_FILES))  # noqa: S311 - a sample
    for file in (file for file in drawn if not _SKIPPED & set(file.parts) and file.is_file()):
        if file.suffix == ".jsonl" and "benchmark" in file.parts:
            for row in map(json.loads, file.read_text().splitlines()):
                text = "\n".join((row["prefix"], row["golden_completion"], row["suffix"]))
                yield _named(file.parts[-3]), text
        elif file.suffix == ".code":
            yield _named(file.stem), file.read_text()
        elif language_of(file.name) is not None or file.suffix in _TEXTS:
            yield _TEXTS.get(file.suffix) or _named(file.name), file.read_text(errors="replace")


def _named(name: str) -> str:
    """The name of the language of a file, or of a folder of DevBench."""
    language = language_of(name)
    return language.id if language else name


def measured(found: Mapping[str, list[str]], rng: random.Random, each: int) -> Iterator[Pair]:
    """Pairs at `each` places of each kind in each language, spread over its sources."""
    for name, texts in found.items():
        language = LANGUAGES.get(name)
        fits = (text for text in texts if language is None or not has_error(language, text))
        drawn = list(islice(fits, each))
        for text in drawn:
            for place in places(language, text, rng, -(-each // len(drawn))):
                yield from pairs(dataclasses.replace(place, name=name), rng)


def table(outcomes: Iterable[Pair]) -> str:
    """The share restored of each noise, of the pairs that can be decided: in all languages, and in the language and the kind of place in which it is least."""
    counts, restored, apart = Counter[tuple[str, ...]](), Counter[tuple[str, ...]](), Counter[str]()
    for pair in outcomes:
        apart[pair.noise] += not pair.decidable
        for key in ((pair.noise,), (pair.noise, "l", pair.place.language), (pair.noise, "p", pair.place.kind)):
            counts[key] += pair.decidable
            restored[key] += pair.decidable and pair.restored
    lines = [_HEAD, "| --- | --- | --- | --- | --- | --- |"]
    for noise in (noise for noise in NOISES if counts[noise,]):
        least = (
            min((_share(restored, counts, key), key[2]) for key in counts if key[:2] == (noise, axis) and counts[key])
            for axis in "lp"
        )
        cells = " | ".join(f"{name} {share:.1f}" for share, name in least)
        share = _share(restored, counts, (noise,))
        lines.append(f"| {noise} | {counts[noise,]:,} | {apart[noise]:,} | {share:.2f} | {cells} |")
    pairs, found = sum(counts[noise,] for noise in NOISES), sum(restored[noise,] for noise in NOISES)
    return "\n".join([*lines, f"| all | {pairs:,} | {apart.total():,} | {100 * found / max(pairs, 1):.2f} | | |"])


_HEAD = "| noise | pairs | undecidable | restored, % | least: language | least: place |"


def _share(restored: Counter[tuple[str, ...]], counts: Counter[tuple[str, ...]], key: tuple[str, ...]) -> float:
    return 100 * restored[key] / counts[key]


def main(page: Path, paths: Iterable[Path], each: int = 12) -> None:
    """Replace the table of a page."""
    library = Path(sysconfig.get_path("stdlib"))
    rows = table(measured(sources([*paths, library]), random.Random(_SEED), each))  # noqa: S311 - a sample
    text = page.read_text()
    head, tail = text.split(_BEGIN, maxsplit=1)[0], text.split(_END)[1]
    page.write_text(f"{head}{_BEGIN}\n\n{rows}\n\n{_END}{tail}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), map(Path, sys.argv[2:]))

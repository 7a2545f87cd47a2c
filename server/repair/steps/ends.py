"""How a suggestion ends: without line ends too many, and without swallowing what stands right of the cursor.

A line comment or a preprocessor line goes on to the end of its line. Where code stands right of the cursor, it would become
part of it, and still parse.
"""

from __future__ import annotations

import re

from server.repair.draft import DIRECTIVES, Draft, indent_of

_GOES_ON = re.compile(r"\s*(?:[)\]},;.(]|(?:else|catch|finally)\b)")
"""What goes on with a statement, so that it does not stand on a line of its own."""


def tidied(draft: Draft, text: str) -> str:
    """What is left of the suggestion after a cut, with as many line ends as belong to it."""
    return _apart(draft, _trimmed(draft, _without_closer_below(draft, text)))


def restore_suffix(draft: Draft, text: str) -> str:
    """The text, so that a comment or a directive at its end takes in nothing of what stands right of the cursor.

    Behind code of its own line the comment goes; else the rest of the line moves to a line of its own.
    """
    start = _trailing_comment_start(draft, text)
    if start is None:
        return text
    line = text.rfind("\n", 0, start) + 1
    fresh = not (text[line:start] if line else draft.line_before + text[:start]).strip()
    if not fresh and not line:
        return text[:start].rstrip()
    lead = indent_of(text[line:]) if line else draft.line_before if not draft.line_before.strip() else ""
    return f"{text.rstrip(' ')}\n{lead if draft.line_after[:1].strip() else ''}"


def _trailing_comment_start(draft: Draft, text: str) -> int | None:
    """The index in the text of the comment or directive that would take in what stands right of the cursor."""
    language, last = draft.language, text[text.rfind("\n") + 1 :]
    if language is None or not draft.line_after.strip() or not last.strip():
        return None
    line = (draft.line_before if "\n" not in text else "") + last
    if "\n" not in text and draft.line_before.lstrip().startswith("#") and language.id in DIRECTIVES:
        return None  # what stands there is part of it already
    if line.lstrip().startswith("#") and language.id in DIRECTIVES:
        return max(0, len(text) - len(last.lstrip()))
    if language.line_comment not in last:
        return None
    tree = draft.tree(text)
    at = tree.byte(len(draft.before) + len(text.rstrip()) - 1)
    node = tree.root.descendant_for_byte_range(at, at + 1)
    while node is not None and not node.type.endswith("comment"):
        node = node.parent
    if node is None or tree.index(node.end_byte) <= len(draft.before) + len(text):
        return None
    start = tree.index(node.start_byte) - len(draft.before)
    return start if start >= 0 and text.startswith(language.line_comment, start) else None


def _without_closer_below(draft: Draft, text: str) -> str:
    """The text without its last `}` when that stands below already."""
    if draft.language is None or draft.language.layout or not text.endswith("}") or text == draft.text:
        return text
    shorter = text[:-1].rstrip()
    return shorter if draft.errors(shorter) < draft.errors(text) else text


def _trimmed(draft: Draft, text: str) -> str:
    """Without line ends at its end, but for one where code right of the cursor belongs on a line of its own, and that of a directive."""
    end = text.find("\n", len(text.rstrip()))
    if end < 0:
        return text
    bare = text[:end]
    if not draft.line_after.strip():
        whole = bare.rstrip() == draft.text.rstrip() and not draft.after.startswith("\n")
        return bare + "\n" if whole and _is_directive(draft) else bare
    apart = f"{bare}\n{indent_of(text[text.rfind(chr(10)) + 1 :])}"
    errors, joined = draft.errors(apart), draft.errors(bare)
    own = draft.is_fresh and not _GOES_ON.match(draft.line_after)
    return apart if errors < joined or (errors == joined and own) else bare


def _apart(draft: Draft, text: str) -> str:
    """With the line end that it had, where code stood at the beginning of the cursor's line and now would stand behind it."""
    fresh = not draft.line_before.strip() and draft.line_after.strip() and not _GOES_ON.match(draft.line_after)
    if not fresh or text.endswith("\n") or not text.strip() or not draft.text[len(text) :].startswith("\n"):
        return text
    return f"{text}\n{draft.line_before if draft.line_after[:1].strip() else ''}"


def _is_directive(draft: Draft) -> bool:
    """Whether the suggestion ends with a preprocessor line, to which its line end belongs."""
    if draft.language is None or draft.language.id not in DIRECTIVES:
        return False
    return (draft.before + draft.text.rstrip()).rpartition("\n")[2].startswith("#")

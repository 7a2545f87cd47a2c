"""The forms in which a model is asked: plain prefix, fill in the middle by model family, two fields, and chat.

A `Prompt` is all that is sent of the code, and `shown` is all of it for a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.context import Budget, Context, Snippet
from server.settings import ProviderSettings
from server.templates import TEMPLATES, Template, template_of
from syntax.languages import language_of

__all__ = [
    "TEMPLATES",
    "Message",
    "Prompt",
    "Template",
    "beside",
    "chat",
    "infill",
    "middle",
    "plain",
    "suited",
    "template_of",
]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent. `suffix` goes beside `text` where the server itself fills in the middle, as `files` do.

    `stops` end the answer.
    """

    text: str = ""
    suffix: str | None = None
    messages: tuple[Message, ...] = ()
    stops: tuple[str, ...] = ()
    files: tuple[Snippet, ...] = ()

    def shown(self) -> str:
        """The prompt as a person reads it: each part as it is sent, under a mark `⟨…⟩` where there are several."""
        if self.messages:
            return "\n\n".join(f"⟨{message.role}⟩\n{message.content}" for message in self.messages)
        files = "".join(f"⟨file {file.path}⟩\n{file.text}\n\n" for file in self.files)
        if self.suffix is None:
            return f"{files}{self.text}"
        return f"{files}⟨before⟩\n{self.text}⟨cursor⟩{self.suffix}"


_RULES = """You are a code completion engine. The user shows a file with the cursor marked {cursor}. \
Write what belongs at {cursor}.
1. Continue the code logically: it must fit what stands before and after {cursor}, and repeat neither.
2. Write only code: no comments, no explanation, no text of any other kind, no Markdown.
3. Pair every bracket that you open, and keep the indentation of the code around {cursor}.
4. {end}"""
_COMPLETE = (
    "Stop where the innermost unfinished block at {cursor} is complete: do not go on to what would come after it."
)
_INFILL = "Stop where the code after {cursor} takes over: what stands there already must follow yours without a gap."


def plain(context: Context) -> Prompt:
    """The file so far, to be continued."""
    return Prompt(text=_preface(context) + context.before)


def suited(budget: Budget, settings: ProviderSettings) -> Budget:
    """The budget for the form that settings name: `completions` of a model without a family show nothing after the cursor.

    With `auto` a server may yet want a chat, which does; so nothing is taken from it there.

    Raises:
        SettingsError: there is no template of the name that the settings say.

    """
    is_plain = settings.api == "completions" and template_of(settings.template, settings.model) is None
    return budget.ahead() if is_plain else budget


def beside(context: Context) -> Prompt:
    """Prefix and suffix as two fields, for servers that apply the template themselves."""
    return Prompt(text=_preface(context) + context.before, suffix=context.after)


def infill(context: Context) -> Prompt:
    """Prefix, suffix and pieces of other files as fields of their own, for llama.cpp's `/infill`."""
    return Prompt(text=context.before, suffix=context.after, files=context.elsewhere)


def middle(context: Context, template: Template) -> Prompt:
    """One prompt in a family's own words; other files in its words for those, or as comments where it has none."""
    if not (template.project and context.elsewhere):
        return Prompt(text=template.fill(_preface(context) + context.before, context.after), stops=template.stops)
    this = Snippet(context.path, context.before)
    text = template.fill_among(context.elsewhere, this, context.after, context.repo or "project")
    return Prompt(text=text, stops=template.stops)


def chat(context: Context) -> Prompt:
    """The four rules of SimCopilot (Jiang et al. 2025, arXiv 2505.21514), other files, then the file with its cursor.

    The paper has two tasks, and its fourth rule is for completion; with code after the cursor in the same block the task is
    infill, and the answer ends where that code takes over.
    """
    cursor = _unused("CURSOR", context.before + context.after)
    end = (_INFILL if _goes_on(context) else _COMPLETE).format(cursor=cursor)
    asked = _fenced(context.path, context.language, f"{context.before}{cursor}{context.after}")
    parts = [
        *(_fenced(piece.path, "", piece.text) for piece in (*context.opened, *context.snippets)),
        *_changed(context),
    ]
    rules = _RULES.format(cursor=cursor, end=end)
    return Prompt(messages=(Message("system", rules), Message("user", "\n\n".join([*parts, asked]))))


def _goes_on(context: Context) -> bool:
    """Whether code after the cursor belongs to the block of the cursor: text right of it, or a line as deep below."""
    rest, _, below = context.after.partition("\n")
    if rest.strip(" \t)]}>,;:\"'"):
        return True
    line = context.before[context.before.rfind("\n") + 1 :]
    following = next((each for each in below.split("\n") if each.strip()), "")
    depth = _depth(line) + (1 if line.rstrip().endswith((":", "{", "(", "[")) else 0)
    return bool(following.strip(" \t)]};,")) and _depth(following) >= depth


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _unused(word: str, text: str) -> str:
    """A mark that does not stand in a text."""
    mark = f"<{word}>"
    while mark in text:
        mark = f"<{mark[1:-1]}_>"
    return mark


def _changed(context: Context) -> list[str]:
    """What was changed lately, the newest last: next to the code that it leads to."""
    return [_fenced(f"Changed lately: {edit.path}", "diff", edit.diff) for edit in reversed(context.edits)]


def _fenced(title: str, language: str, text: str) -> str:
    """A text between fences that are longer than any in it."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`{3,}", text)), 3)
    return f"{title}\n{fence}{language}\n{text}\n{fence}"


def _preface(context: Context) -> str:
    """Pieces of other places as comments above the file."""
    mark = _comment(context)
    lines = (line for piece in context.elsewhere for line in (piece.path, *piece.text.split("\n")))
    return "".join(f"{mark} {line}".rstrip() + "\n" for line in lines)


def _comment(context: Context) -> str:
    language = language_of(context.language) or language_of(context.path)
    if language is not None:
        return language.line_comment
    return "#" if context.language in {"shellscript", "yaml", "toml", "makefile", "dockerfile", "r", "perl"} else "//"

"""The forms of a prompt: plain prefix, fill-in-the-middle template, prefix and suffix as two fields, and chat.

A `Prompt` contains everything that is sent of the code, and `shown` returns all of it for a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.context import Budget, Context, Snippet
from server.prompt.templates import Template, template_of
from server.settings import OWN_CHAT, ProviderSettings
from syntax.languages import language_of


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent to a model."""

    text: str = ""
    """The prompt, or the text before the cursor if there is a `suffix`."""
    suffix: str | None = None
    """The text after the cursor, for servers that apply the template themselves."""
    messages: tuple[ChatMessage, ...] = ()
    """A chat; it is sent instead of `text`."""
    stops: tuple[str, ...] = ()
    """Strings that end the answer."""
    files: tuple[Snippet, ...] = ()
    """Pieces of other files, for servers that take them as a field of their own."""

    def shown(self) -> str:
        """The prompt for a person: each part as it is sent, below a mark `⟨…⟩` if there are several."""
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
    """The text before the cursor, to be continued."""
    return Prompt(text=_preface(context) + context.before)


def suited(budget: Budget, settings: ProviderSettings) -> Budget:
    """The budget for the form that the settings name. `completions` of a model without a template contain no text after the cursor.

    With `auto` the budget stays as it is, because the server may want a chat, which contains that text.

    Raises:
        SettingsError: the template of the settings is unknown.

    """
    is_plain = (
        settings.api == "completions"
        and settings.chat == OWN_CHAT
        and template_of(settings.template, settings.model) is None
    )
    return budget.ahead() if is_plain else budget


def beside(context: Context) -> Prompt:
    """Prefix and suffix as two fields, for servers that apply the template themselves."""
    return Prompt(text=_preface(context) + context.before, suffix=context.after)


def infill(context: Context) -> Prompt:
    """Prefix, suffix and pieces of other files as fields of their own, for llama.cpp's `/infill`."""
    return Prompt(text=context.before, suffix=context.after, files=context.elsewhere)


def middle(context: Context, template: Template) -> Prompt:
    """One prompt in a family's template. Other files are in the template's form for files, or in comments if it has none."""
    if not (template.project and context.elsewhere):
        return Prompt(text=template.fill(_preface(context) + context.before, context.after), stops=template.stops)
    this = Snippet(context.path, context.before)
    text = template.fill_project(context.elsewhere, this, context.after, context.repo or "project")
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
    return Prompt(messages=(ChatMessage("system", rules), ChatMessage("user", "\n\n".join([*parts, asked]))))


def _goes_on(context: Context) -> bool:
    """Whether the cursor's block goes on after the cursor: text right of it, or a following line with the same indentation."""
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
    """A mark that does not occur in a text: `<CURSOR>`, or `<CURSOR_>` if the text contains that."""
    mark = f"<{word}>"
    while mark in text:
        mark = f"<{mark[1:-1]}_>"
    return mark


def _changed(context: Context) -> list[str]:
    """The recent edits, the newest last, so that it is next to the code at the cursor."""
    return [_fenced(f"Changed lately: {edit.path}", "diff", edit.diff) for edit in reversed(context.edits)]


def _fenced(title: str, language: str, text: str) -> str:
    """A text between fences that are longer than any in it."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`{3,}", text)), 3)
    return f"{title}\n{fence}{language}\n{text}\n{fence}"


def _preface(context: Context) -> str:
    """Pieces of other places, as comments above the file."""
    mark = _comment(context)
    lines = (line for piece in context.elsewhere for line in (piece.path, *piece.text.split("\n")))
    return "".join(f"{mark} {line}".rstrip() + "\n" for line in lines)


def _comment(context: Context) -> str:
    language = language_of(context.language) or language_of(context.path)
    if language is not None:
        return language.line_comment
    return "#" if context.language in {"shellscript", "yaml", "toml", "makefile", "dockerfile", "r", "perl"} else "//"

"""The forms in which a model is asked: plain prefix, fill in the middle by model family, and chat.

The chat form follows the four rules of SimCopilot (section 4): only the missing code, nothing that stands there already,
the indentation of the cursor, and an end where the unfinished block ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from server.context import Context, Snippet
from server.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent. `suffix` goes beside `text` where the server itself fills in the middle; `stops` end the answer."""

    text: str = ""
    suffix: str | None = None
    messages: tuple[Message, ...] = ()
    stops: tuple[str, ...] = ()

    def shown(self) -> str:
        """The prompt as a person reads it."""
        if self.messages:
            return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.messages)
        return self.text if self.suffix is None else f"{self.text}⟨cursor⟩{self.suffix}"


@dataclass(frozen=True, slots=True)
class Template:
    """The fill-in-the-middle words of a model family. `suffix_first` is the order that some were trained in."""

    prefix: str
    suffix: str
    middle: str
    stops: tuple[str, ...]
    suffix_first: bool = False

    def fill(self, before: str, after: str) -> str:
        """The prompt whose continuation is the missing middle."""
        if self.suffix_first:
            return f"{self.suffix}{after}{self.prefix}{before}{self.middle}"
        return f"{self.prefix}{before}{self.suffix}{after}{self.middle}"


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        "qwen": Template(
            "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", ("<|endoftext|>", "<|fim_pad|>", "<|file_sep|>")
        ),
        "starcoder": Template("<fim_prefix>", "<fim_suffix>", "<fim_middle>", ("<|endoftext|>", "<file_sep>")),
        "granite": Template("<fim_prefix>", "<fim_suffix>", "<fim_middle>", ("<|endoftext|>",)),
        "codellama": Template("<PRE> ", " <SUF>", " <MID>", ("<EOT>",)),
        "deepseek": Template(
            "<\uff5cfim\u2581begin\uff5c>",
            "<\uff5cfim\u2581hole\uff5c>",
            "<\uff5cfim\u2581end\uff5c>",
            ("<\uff5cend\u2581of\u2581sentence\uff5c>",),
        ),
        "codestral": Template("[PREFIX]", "[SUFFIX]", "", ("[SUFFIX]", "[PREFIX]", "</s>"), suffix_first=True),
        "codegemma": Template("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", ("<|file_separator|>", "<eos>")),
    }
)
_FAMILIES = (
    ("qwen", "qwen"),
    ("starcoder", "starcoder"),
    ("granite", "granite"),
    ("codellama", "codellama"),
    ("code-llama", "codellama"),
    ("deepseek", "deepseek"),
    ("codestral", "codestral"),
    ("mistral", "codestral"),
    ("devstral", "codestral"),
    ("codegemma", "codegemma"),
)

_RULES = """You complete code at the cursor, which is marked <CURSOR>.
1. Write only the code that belongs at <CURSOR>: no explanation, no Markdown, no comments on what you did.
2. Repeat nothing that stands before or after <CURSOR> already.
3. Keep to the indentation of the cursor and to the brackets that are open there.
4. Stop where the innermost unfinished block, statement or line at <CURSOR> is complete."""


def template_of(name: str, model: str) -> Template | None:
    """The template that the settings name, else the one that the model's name tells; None when neither does.

    Raises:
        SettingsError: there is no template of that name.

    """
    if name and name not in TEMPLATES:
        raise SettingsError(f"provider.template: {name!r} is none of {', '.join(sorted(TEMPLATES))}")
    lowered = model.lower()
    family = name or next((family for part, family in _FAMILIES if part in lowered), "")
    return TEMPLATES.get(family)


def plain(context: Context) -> Prompt:
    """The file so far, to be continued."""
    return Prompt(text=_preface(context) + context.before)


def beside(context: Context) -> Prompt:
    """Prefix and suffix as two fields, for servers that apply the template themselves."""
    return Prompt(text=_preface(context) + context.before, suffix=context.after)


def middle(context: Context, template: Template) -> Prompt:
    """One prompt in a family's own words."""
    return Prompt(text=template.fill(_preface(context) + context.before, context.after), stops=template.stops)


def chat(context: Context) -> Prompt:
    """The four rules, then the file with its cursor."""
    fence = "```"
    asked = f"{context.path}\n{fence}{context.language}\n{context.before}<CURSOR>{context.after}\n{fence}"
    elsewhere = [_quoted(snippet, fence) for snippet in (*context.snippets, *context.edits)]
    return Prompt(messages=(Message("system", _RULES), Message("user", "\n\n".join([*elsewhere, asked]))))


def _quoted(snippet: Snippet, fence: str) -> str:
    return f"{snippet.path}\n{fence}\n{snippet.text}\n{fence}"


def _preface(context: Context) -> str:
    """Pieces of other places as comments above the file."""
    mark = "#" if context.language in {"python", "ruby", "shellscript", "yaml"} else "//"
    pieces = (*context.snippets, *context.edits)
    lines = (f"{mark} {line}".rstrip() for piece in pieces for line in [piece.path, *piece.text.split("\n")])
    return "".join(f"{line}\n" for line in lines)

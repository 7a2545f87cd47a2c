"""Words that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")]
Provider = Annotated[
    str,
    typer.Option(
        "--provider",
        envvar="GHOSTTAPE_PROVIDER",
        help="Where completions come from: gguf (the default: the embedded model), openai (any OpenAI-compatible server), "
        "llamacpp, ollama, anthropic, lsp (any language server with inline completion: --server), ngram (a baseline), oracle "
        "(what was really written; not for serve), recorded (a file of answers), "
        "fixed (always --text).",
    ),
]
Model = Annotated[str, typer.Option("--model", envvar="GHOSTTAPE_MODEL", help="Model name, or path of a GGUF file.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        envvar="GHOSTTAPE_BASE_URL",
        help="The model server, as http://127.0.0.1:8080/v1 (llamacpp, ollama and anthropic know their own).",
    ),
]
LanguageServer = Annotated[
    str,
    typer.Option(
        "--server",
        envvar="GHOSTTAPE_SERVER",
        metavar="COMMAND",
        help='Provider lsp: what starts the language server on standard input and output, as "copilot-language-server --stdio".',
    ),
]
Answers = Annotated[str, typer.Option("--answers", help="Answers of provider recorded: JSON lines of key and text.")]
Text = Annotated[str, typer.Option("--text", help="Answer of provider fixed; empty: nothing is ever offered.")]
RecordAnswers = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write every answer of the model to this file.")
]
ReplayAnswers = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Take answers from this file; ask the model, and write, what it lacks."),
]
RequireRecorded = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Take every answer from this file; one that it lacks is a failure."),
]
Repairs = Annotated[
    str, typer.Option(help="Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none.")
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
SettingsJson = Annotated[
    str,
    typer.Option("--settings", help="All settings of the language server as JSON; the other flags are laid over them."),
]
WhichTests = Annotated[
    str,
    typer.Option(
        "--tests",
        help="What each suggestion runs: all tests, or touching: those that reach its function (pytest), and on a sample all.",
    ),
]

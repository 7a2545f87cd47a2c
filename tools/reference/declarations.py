"""Pages of what is declared in code beside the commands: verdicts, figures, policies, settings, records, tape events, models."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

import msgspec

from corpora.history.session.distributions import named_distributions
from corpora.registry import error_classes, known_corpora
from replay.gates.gates import LIMITED
from replay.numbers.comparison import COMPARISON, DOCUMENT
from replay.play.policies.policy import Adaptive, Backoff, Policy, policy_names, policy_of
from replay.play.users.acceptance.acceptance_model import BUNDLED, Weights, load
from replay.run.record_tables import schema_table
from runners.sandboxes import SANDBOXES
from server import settings
from server.api_keys import VARIABLES
from server.prompt.templates import TEMPLATES
from server.providers.registry import PROVIDERS
from tools.reference.page_markdown import bullets, page, paragraph, table
from tools.tape_schema import schema
from tui import glossary

_LONG = 1_000_000
"""Numbers from here on are not written with `g`, which would give them an exponent."""
_SETTINGS = (
    ("[server]", settings.Settings),
    ("[server.provider]", settings.ProviderSettings),
    ("[server.provider.record]", settings.AnswerRecord),
    ("[server.context]", settings.ContextSettings),
    ("[server.cache]", settings.CacheSettings),
    ("initializationOptions.record", settings.RecordingSettings),
)
_MEANINGS = (
    ("Endings", "What happened to a suggestion in the editor.", glossary.ENDINGS),
    ("Verdicts", "What the tests say of a graft.", glossary.VERDICTS),
    ("Untestable", "Why no test can tell whether a suggestion is right.", glossary.UNTESTABLE),
    ("Rewritten", "The `cause` in `verdict.rewriting`.", glossary.REWRITING),
    ("Stop hints", "What is wanted at a moment (`stop`).", glossary.STOPS),
    ("Why a model stopped", "The member `finish` of a suggestion; `stop`: it was done.", glossary.FINISHES),
    ("Error classes", "Classes of failures at the end of an evaluation.", error_classes(known_corpora())),
    ("Keys", "What the table counts in drive mode.", glossary.EFFORT),
)


def verdicts() -> str:
    """Return the page of endings, verdicts and reasons."""
    parts = [
        f"## {title}\n\n{about}\n\n{table(('name', 'meaning'), _rows(meanings))}"
        for title, about, meanings in _MEANINGS
    ]
    return page(
        "Endings, verdicts and reasons", "Here you look up what each word of a table or a record means.", *parts
    )


def _rows(meanings: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((f"`{name}`", meaning) for name, meaning in meanings.items())


def figures() -> str:
    """Return the page of the figures that a gate can hold a run to."""
    rows = [
        (
            f"`{name}`",
            "at least" if kind.is_gain else "at most",
            kind.unit,
            kind.meaning,
        )
        for name, kind in LIMITED.items()
    ]
    about = (
        "Here you look up the names that `--fail-under FIGURE=NUMBER` takes; [numbers](../numbers.md) defines each figure. "
        "`adherence` and `follows_and_passes` also take the id of one instruction: `adherence:avoid-recursion=0.9`."
    )
    return page("Figures of a run", about, table(("figure", "limit", "unit", "meaning"), rows))


def policies() -> str:
    """Return the page of the policies: what each number means, and the numbers of each policy."""
    parts = [f"## What the numbers mean\n\n{_prose(Policy)}\n\n{_prose(Adaptive)}\n\n{_prose(Backoff)}"]
    for name in policy_names():
        policy = policy_of(name)
        numbers = _numbers(msgspec.to_builtins(policy), msgspec.to_builtins(Policy()))
        lines = [_code(f"{key} = {value}") for key, value in numbers]
        parts.append(f"## {name}\n\n{paragraph(policy.about)}\n\n{bullets(lines)}")
    about = (
        "Here you look up what `--policy NAME:NUMBER=VALUE` can change, and the numbers of each policy. Times are ms."
    )
    return page("Policies", about, *parts)


def _numbers(values: Mapping[str, Any], off: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, str]]:
    """Yield the numbers of a policy that differ from those of a policy that does nothing."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, {}, f"{above}{key}.")
        elif key not in {"name", "about"} and value != off.get(key):
            yield f"{above}{key}", _value(value)


def _value(value: object) -> str:
    """Return a number, a text, a switch or a list of names as `--policy NAME:NUMBER=VALUE` takes it. Example: 50.0 is `50`."""
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return f"{value:g}" if isinstance(value, float) and value < _LONG else str(value)


def _code(text: str) -> str:
    """Return a text as code, also one that has back-ticks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def server_settings() -> str:
    """Return the page of the providers' names, of the keys, and of all settings of the server."""
    parts = [
        table(("provider", "what it is"), [(f"`{name}`", entry.about) for name, entry in PROVIDERS.items()]),
        paragraph("Keys are read from: " + ", ".join(f"`{name}`" for name in VARIABLES) + "."),
        paragraph("Sandboxes: `auto`, " + ", ".join(f"`{name}`" for name in SANDBOXES) + "."),
    ]
    for name, struct in _SETTINGS:
        parts.append(f"## {name}\n\n{_prose(struct)}\n\n{bullets(_members(struct))}")
    about = (
        "Here you look up every setting of the language server: in `ghosttape.toml`, as JSON of `--settings`, or in an "
        "editor's `initializationOptions`."
    )
    return page("Settings", about, *parts)


def _members(struct: type[msgspec.Struct]) -> Iterable[str]:
    words = _field_texts(struct)
    for field in msgspec.structs.fields(struct):
        default = field.default if field.default is not msgspec.NODEFAULT else None
        if isinstance(default, msgspec.Struct):
            yield f"`{field.encode_name}`: a table of its own. {words.get(field.name, '')}"
            continue
        words_ = words.get(field.name, "")
        yield f"`{field.encode_name} = {json.dumps(msgspec.to_builtins(default))}`" + (f": {words_}" if words_ else "")


def _field_texts(struct: type[msgspec.Struct]) -> Mapping[str, str]:
    """Return the string below each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    if not isinstance(body, ast.ClassDef):
        return {}
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        is_text = (
            isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        )
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            found[field.target.id] = ast.literal_eval(text.value)  # type: ignore[attr-defined]
    return found


def _prose(struct: type) -> str:
    """Return the docstring of a class as paragraphs."""
    return "\n\n".join(paragraph(part) for part in inspect.cleandoc(struct.__doc__ or "").split("\n\n"))


def comparison() -> str:
    """Return the page of the members of `ghosttape compare --json`."""
    about = "Here you look up the members of the document of `ghosttape compare --json`; [compare](../compare.md) explains it."
    parts = [
        table(("member", "meaning"), _rows(DOCUMENT)),
        "## Each comparison",
        table(("member", "meaning"), _rows(COMPARISON)),
    ]
    return page("The document of a comparison", about, "\n\n".join(parts))


def records() -> str:
    """Return the page of the columns of `ghosttape records --format`."""
    about = "Here you look up the columns that `ghosttape records RUN --format csv|parquet|jsonl` writes."
    return page("Columns of records", about, schema_table().strip())


def tapes() -> str:
    """Return the page of the lines of a tape, from their JSON Schema."""
    parts = []
    for name, part in schema()["$defs"].items():
        rows = [
            (
                f"`{key}`",
                _type(value),
                "" if key in part.get("required", ()) else f"`{json.dumps(value.get('default'))}`",
            )
            for key, value in part["properties"].items()
        ]
        notes = [
            f"`{key}`: {value['description']}" for key, value in part["properties"].items() if "description" in value
        ]
        body = [paragraph(part.get("description", "")), table(("member", "type", "default"), rows), bullets(notes)]
        parts.append(f"## {name}\n\n" + "\n\n".join(filter(None, body)))
    about = "Here you look up every member of a tape's header and events; [tapes](../tapes.md) explains them with an example."
    return page("Lines of a tape", about, *parts)


def _type(value: Mapping[str, Any]) -> str:
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    if "$ref" in value:
        return str(value["$ref"].rpartition("/")[2])
    if "anyOf" in value:
        return " or ".join(_type(each) for each in value["anyOf"])
    if value.get("type") == "array":
        inner = value.get("prefixItems") or [value.get("items") or {}]
        return "[" + ", ".join(_type(each) for each in inner) + (", …]" if "prefixItems" not in value else "]")
    return str(value.get("type", "any"))


def models() -> str:
    """Return the page of the families of models that fill in the middle."""
    parts = []
    for name, template in TEMPLATES.items():
        order = "prefix" if template.file.index("{before}") < template.file.index("{after}") else "suffix"
        others = "in its own words" if template.project else "as comments above the file"
        parts.append(f"`{name}`: {order} first; other files {others}. Source: {template.source}")
    about = (
        "Here you look up the families of models that fill in the middle. `provider.template` names one; otherwise the "
        "model's name decides."
    )
    return page("Model families", about, bullets(parts))


def acceptance() -> str:
    """Return the page of the bundled acceptance model: its weights, and how good it is on people who were left out of the fit."""
    model = load(BUNDLED)
    sets = (("Without confidence", model.without_confidence), ("With confidence", model.with_confidence))
    about = "Here you look up the weights of `--user model`, and their quality on people (or stretches of a session) left out of the fit."
    return page("The acceptance model", about, *(_weights(title, weights) for title, weights in sets if weights))


def _weights(title: str, weights: Weights) -> str:
    rows = [("intercept", _interval(weights.intercept, weights.interval, 3), "")]
    rows += [
        (f"`{name}`", _interval(one.coefficient, one.interval, 3), one.data) for name, one in weights.features.items()
    ]
    parts = [f"## {title}", table(("weight", "value (95 %)", "fitted on"), rows)]
    names = {"auc": 3, "log_loss": 3, "log_loss_of_rate": 3, "gain": 3, "auc_before": 3, "slope_before": 2}
    for quality in weights.quality:
        measures = [
            (f"`{name}`", _interval(quality[name], quality[f"{name}_interval"], digits))
            for name, digits in names.items()
            if name in quality
        ]
        fifths = [
            f"{mean:.2f} → {share:.2f} ({low:.2f} to {high:.2f})"
            for _, mean, share, low, high in quality["calibration"]
        ]
        parts += [
            f"On {quality['data']}: {quality['trials']:,} trials, {quality['left_out']} people or stretches.",
            table(("measure", "value (95 %)"), measures),
            paragraph("Calibration by fifths, mean chance → accepted share: " + "; ".join(fifths) + "."),
        ]
    return "\n\n".join(parts)


def typing() -> str:
    """Return the page of the distributions that synthesised sessions are drawn from."""
    text = (resources.files("corpora.history.session") / "distributions.toml").read_text(encoding="utf-8")
    notes = dict(re.findall(r"^\[([\w.]+)\](?: # (.*))?$", text, re.MULTILINE))
    rows = []
    for name, values in _distributions(msgspec.to_builtins(named_distributions())):
        shift = f"{values['shift']:,g} + " if values.get("shift") else ""
        rows.append((f"`{name}`", notes.get(name, ""), shift + _parameters(values), values["n"] or "chosen"))
    about = (
        "Here you look up what `ghosttape import --from-git` draws: log-normal gaps as (median in ms, sigma) with their weights, "
        "shares, means and weighted choices; n counts the observations, `chosen` ones are not measured."
    )
    return page("Distributions of synthesised sessions", about, table(("name", "what", "parameters", "n"), rows))


def _distributions(values: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, Mapping[str, Any]]]:
    for name, value in values.items():
        if "n" in value:
            yield f"{above}{name}", value
        else:
            yield from _distributions(value, f"{above}{name}.")


def _parameters(values: Mapping[str, Any]) -> str:
    """Return parameters as words. Example: two parts are `0.6 of (130, 0.39) + 0.4 of (159, 0.81)`."""
    if parts := values.get("parts"):
        if len(parts) == 1:
            return f"({parts[0][1]:g}, {parts[0][2]:g})"
        return " + ".join(f"{weight:g} of ({median:g}, {sigma:g})" for weight, median, sigma in parts)
    if weights := values.get("weights"):
        return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    return f"{values.get('p', values.get('mean')):g}"


def _interval(value: float, interval: Iterable[float] | None, digits: int) -> str:
    if interval is None:
        return f"{value:.{digits}f}"
    low, high = interval
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

"""From the file of an experiment to its cells: each choice becomes options, as the flags of `replay` and `evaluate` do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from corpora.errors import CorpusError
from corpora.evaluation_options import EvaluateOptions
from corpora.experiments.cells import Cell, corpus_cell, tape_cell
from corpora.experiments.matrix import (
    AXES,
    OF_TAPES,
    TAPES,
    Combination,
    Matrix,
    Omission,
    names_of,
    plain,
    slug,
    words_of,
)
from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.play.latency import latency_of
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Tape, find
from replay.tapes.tape import read as read_tape
from server.errors import ServerRoomError
from server.nearest import did_you_mean
from server.option import declarations
from server.providers.registry import known_providers
from server.settings import ContextSettings, ProviderSettings, overlay
from tui.commands.experiments.experiment_file import Axes, ExperimentFile, folded, shown
from tui.commands.options.configuration import File, file_of
from tui.commands.options.flags import EvaluateFlags, ServerFlags
from tui.commands.options.run_options import options_of_evaluation, options_of_replay
from tui.commands.runs.replaying import bundled
from tui.declared_flags import Flag, flags_of
from tui.errors import ConfigurationError

PlaceOf: TypeAlias = Callable[[str], tuple[str, ...]]
"""Where the value of a flag stands in the file: the names of its tables, and its key."""
DEFAULT = "default"
"""The prompt that the provider has without a table."""


def _keys(kind: type[msgspec.Struct], table: str = "") -> frozenset[str]:
    """The keys of a struct's options in a table of the file: without a table those of flags, in `[options]`; else those that only this table has."""
    if not table:
        return frozenset(flag.key for flag in flags_of(kind) if not flag.option.table)
    return frozenset(name for name, option in declarations(kind).items() if option.table == table)


_PLURALS = dict(zip(AXES[1:], Axes.__struct_fields__, strict=True))
"""The key of `[matrix]` that has the values of an axis."""
_LONGEST_WAIT_S = 60.0
"""Of the Retry-After of a model server: nobody waits for an experiment at an editor."""
_MODEL = _keys(ProviderSettings)
_REPLAY, _EVALUATE = _keys(ReplayOptions) - _MODEL, _keys(EvaluateOptions) - _MODEL | {"chat"}
_OF_PROVIDERS = _keys(ProviderSettings, "providers") | _keys(EvaluateOptions, "providers") | {"settings"}
_PROVIDER = _MODEL | _OF_PROVIDERS | {"concurrency"}
_CONTEXT = _keys(ContextSettings, "prompts")
_CORPUS = (_EVALUATE - {"samples", "repairs"}) | {"corpus", "data"}


@dataclass(slots=True)
class ExperimentCells:
    """The cells of a file, and what is left out of its matrix and why."""

    file: ExperimentFile
    cells: list[Cell] = field(default_factory=list)
    omissions: list[Omission] = field(default_factory=list)
    _tapes: list[Tape] = field(default_factory=list)

    @classmethod
    def of(cls, file: ExperimentFile) -> ExperimentCells:
        """Make all cells, and find out what cannot go together.

        Raises:
            ConfigurationError: a name or a value is unknown, a named cell cannot be run, or nothing is left to run.

        """
        made = cls(file)
        made._check_names()
        found = find([Path(bundled(made._rooted(name, or_name=True))) for name in file.content.tapes])
        made._tapes = [read_tape(path) for path in found]
        for name, choice, named in made._chosen():
            made._add(name, choice, named=named)
        if not made.cells:
            raise ConfigurationError(f"{file.path}: no cell is left to run: {made.omissions[0].reason}")
        return made

    def _check_names(self) -> None:
        content = self.file.content
        self.file.check_keys(content.options, _REPLAY | _EVALUATE | _MODEL, "options")
        for name, table in content.providers.items():
            self.file.check_keys(table, _PROVIDER, "providers", name)
        for name, table in content.corpus.items():
            self.file.check_keys(table, _CORPUS, "corpus", name)
        for axis in ("policy", "user", "repairs", "latency", "samples", "provider"):
            if axis in map(folded, content.options) and content.matrix.values()[axis]:
                self.file.refuse(f"[matrix] names values for {axis} already", "options", axis)
        self._check_values()

    def _check_values(self) -> None:
        """Refuse what no policy, no user and no latency is called."""
        values, policies = self.file.content.matrix.values(), {**file_of(Path()).policies, **self.file.content.policies}
        checks: Mapping[str, Callable[[str], object]] = {
            "policies": lambda name: policy_of(name, policies),
            "users": user_of,
            "latencies": lambda name: name == "tape" or latency_of(name, 0),
        }
        for (axis, check), names in zip(
            checks.items(), (values["policy"], values["user"], values["latency"]), strict=True
        ):
            for name in names:
                try:
                    check(name)
                except (ReplayError, ServerRoomError) as error:
                    self.file.refuse(str(error), "matrix", axis)

    def _chosen(self) -> Iterator[tuple[str, Combination, bool]]:
        """The names and values of all cells, and whether the person named them."""
        content = self.file.content
        over = ((TAPES,) if content.tapes else ()) + content.corpora
        matrix = Matrix({"over": over, **content.matrix.values()}, content.leave_out)
        combined = list(matrix.choices()) if any(content.matrix.values().values()) or not content.cells else []
        self.omissions += matrix.omissions
        self._reject_duplicate_folders()
        named = {slug(name): self._named(name, over) for name in content.cells}
        apart = [choice for choice in combined if choice not in named.values()]
        names = names_of(apart) if apart else []
        yield from ((name, choice, True) for name, choice in named.items())
        yield from (
            (name if name not in named else f"{name}-2", choice, False)
            for name, choice in zip(names, apart, strict=True)
        )

    def _reject_duplicate_folders(self) -> None:
        """Refuse two tables `[cells.NAME]` whose folders would have one name."""
        first: dict[str, str] = {}
        for name in self.file.content.cells:
            twin = first.setdefault(slug(name), name)
            if twin != name:
                where = f"{twin!r} and {name!r} have the same folder name, {slug(name)!r}"
                self.file.refuse(f"{where}: letters from a to z, digits, _ and . tell cells apart", "cells", name)

    def _named(self, name: str, over: tuple[str, ...]) -> Combination:
        """The choice of a table `[cells.NAME]`; what it does not name is the only value of the axis, or none."""
        table = {folded(key): value for key, value in self.file.content.cells[name].items()}
        only = {axis: values[0] for axis, values in self.file.content.matrix.values().items() if len(values) == 1}
        choice = {axis: table.get(axis, only.get(axis)) for axis in AXES}
        choice["over"] = table.get("over", over[0] if len(over) == 1 else None)
        if choice["over"] not in over:
            said = f"over {choice['over']!r} is" if choice["over"] else "over is missing: it is"
            self.file.refuse(f"{said} none of {', '.join(over)}", "cells", name, "over")
        meant = next((axis for axis in OF_TAPES if axis in table), "")
        if meant and choice["over"] != TAPES:
            where = f"{choice['over']} is a corpus, whose tasks say where to ask"
            self.file.refuse(f"{where}: {meant} decides nothing there", "cells", name, meant)
        return plain(choice)

    def _add(self, name: str, choice: Combination, *, named: bool) -> None:
        """Make a cell; one of the matrix that cannot be run is left out, and one that the person named is refused."""
        if reason := self._impossible(choice):
            return self._omit(name, choice, reason, named)
        try:
            cell = self._made(name, choice)
        except (ReplayError, CorpusError, ServerRoomError) as error:
            raise ConfigurationError(f"{self.file.path}: {words_of(choice)}: {error}") from error
        try:
            cell.check()
        except (ReplayError, CorpusError) as error:  # of settings that do not go together
            return self._omit(name, choice, str(error), named)
        if twin := next((other for other in self.cells if other.key == cell.key), None):
            return self._omit(name, choice, f"it is the same run as {twin.name}", named)
        self.cells.append(cell)
        return None

    def _omit(self, name: str, choice: Combination, reason: str, named: bool) -> None:
        if named:
            self.file.refuse(reason, "cells", name)
        self.omissions.append(Omission(choice, reason))

    def _impossible(self, choice: Combination) -> str:
        if choice["over"] == TAPES and self._provider(choice["provider"]).get("published"):
            return f"provider {choice['provider']} has published answers, which are those of a corpus"
        return ""

    def _made(self, name: str, choice: Combination) -> Cell:
        content = self.file.content
        table = self._provider(choice["provider"])
        shared = {folded(key): value for key, value in content.options.items()}
        place = lambda key: self._place(name, choice, key)  # noqa: E731
        provider = self._provider_flags({**{key: shared[key] for key in shared.keys() & _PROVIDER}, **table}, place)
        along = {"concurrency": table["concurrency"]} if "concurrency" in table else {}
        along |= {
            axis: choice[axis]
            for axis in ("policy", "user", "repairs", "latency", "samples")
            if choice[axis] is not None
        }
        server = ServerFlags(settings=msgspec.json.encode(self._settings(choice, table)).decode())
        if choice["over"] == TAPES:
            of_tapes = {key: shared[key] for key in shared.keys() & _REPLAY}
            wanted = self._converted(ReplayOptions, of_tapes | along, place)
            over = File(policies=content.policies, tests=content.tests)
            return tape_cell(name, choice, options_of_replay(provider | wanted, server, over=over), self._tapes)
        of_corpus = {folded(key): value for key, value in content.corpus.get(choice["over"], {}).items()}
        corpus, data = of_corpus.pop("corpus", choice["over"]), of_corpus.pop("data", None)
        corpus = self._rooted(corpus) if str(corpus).endswith((".json", ".jsonl")) else corpus
        chosen = {key: shared[key] for key in shared.keys() & _EVALUATE} | of_corpus | along
        given = (
            provider
            | self._converted(EvaluateOptions, self._converted(EvaluateFlags, chosen, place), place)
            | {"published": str(table.get("published", ""))}
        )
        where = Path(self._rooted(data)) if data else None
        options = options_of_evaluation(given, server, corpus=corpus, data=where, chat=given.get("chat", ""))
        return corpus_cell(name, choice, options)

    def _settings(self, choice: Combination, provider: Mapping[str, Any]) -> dict[str, Any]:
        """The language server's settings: the prompt's over the provider's over `[server]`."""
        prompt = self._prompt(choice["prompt"])
        context = {key: value for key, value in prompt.items() if key in _CONTEXT}
        of_provider = {key: value for key, value in prompt.items() if key not in _CONTEXT}
        patient = {"provider": {"longest_wait_s": _LONGEST_WAIT_S}}
        rates = {key: provider[key] for key in provider.keys() & _keys(ProviderSettings, "providers")}
        made: dict[str, Any] = overlay(
            overlay(patient, self.file.content.server), {"provider": {**provider.get("settings", {}), **rates}}
        )
        return overlay(made, {"provider": of_provider, "context": context})  # type: ignore[no-any-return]

    def _prompt(self, name: str | None) -> dict[str, Any]:
        prompts = self.file.content.prompts
        if name is not None and name not in {*prompts, DEFAULT}:
            self.file.refuse(
                f"no prompt is called {name!r}{did_you_mean(name, [*prompts, DEFAULT])}: it needs a table [prompts.{name}]",
                "matrix",
                "prompts",
            )
        return {folded(key): value for key, value in prompts.get(name or DEFAULT, {}).items()}

    def _provider(self, name: str | None) -> dict[str, Any]:
        """The flags of a provider: those of its table, or its name alone."""
        if name is None:
            return {}
        tables = self.file.content.providers
        if name not in tables and name not in known_providers():
            near = did_you_mean(name, [*tables, *known_providers()])
            self.file.refuse(
                f"no provider is called {name!r}{near}: it needs a table [providers.{name}]", "matrix", "providers"
            )
        table = {folded(key): value for key, value in tables.get(name, {}).items()}
        return table if "provider" in table or "published" in table else {"provider": name, **table}

    def _provider_flags(self, table: Mapping[str, Any], place: PlaceOf) -> dict[str, Any]:
        named = {key: value for key, value in table.items() if key in _MODEL}
        if named.get("provider") == "gguf" and named.get("model"):
            named["model"] = self._rooted(str(named["model"]))
        return self._converted(ProviderSettings, named, place)

    def _converted(self, kind: type[msgspec.Struct], given: Mapping[str, Any], place: PlaceOf) -> dict[str, Any]:
        """The values of flags.

        Raises:
            ConfigurationError: a value is of the wrong kind, or out of bounds.

        """
        values = dict(given)
        for flag in flags_of(kind):
            if flag.key not in values:
                continue
            if flag.type is str and isinstance(values[flag.key], list):
                values[flag.key] = ",".join(values[flag.key])
            if flag.option.is_path:
                values[flag.key] = self._rooted_all(values[flag.key])
            try:
                values[flag.key] = msgspec.convert(values[flag.key], flag.type)
            except msgspec.ValidationError as error:
                self.file.refuse(f"{shown(flag.key)}: {error}", *place(flag.key))
            self._check_bounds(flag, values[flag.key], place)
        return values

    def _check_bounds(self, flag: Flag, value: Any, place: PlaceOf) -> None:
        """Refuse a number that the flag refuses on the command line."""
        if not isinstance(value, int | float):
            return
        if flag.option.min is not None and value < flag.option.min:
            self.file.refuse(f"{shown(flag.key)} is {value}: it must be at least {flag.option.min}", *place(flag.key))
        if flag.option.max is not None and value > flag.option.max:
            self.file.refuse(f"{shown(flag.key)} is {value}: it must be at most {flag.option.max}", *place(flag.key))

    def _place(self, name: str, choice: Combination, key: str) -> tuple[str, ...]:
        """Where the value stands that counts for a flag of a cell; `[options]` where no other table has it."""
        content = self.file.content
        tables: dict[tuple[str, str], Mapping[str, Any]] = {
            ("cells", name): content.cells.get(name, {}),
            ("providers", str(choice["provider"])): content.providers.get(str(choice["provider"]), {}),
            ("corpus", str(choice["over"])): content.corpus.get(str(choice["over"]), {}),
        }
        found = next((place for place, table in tables.items() if key in map(folded, table)), None)
        if found is None and choice.get(key) is not None:
            return ("matrix", _PLURALS[key])
        return (*(found or ("options",)), key)

    def _rooted_all(self, value: Any) -> Any:
        return [self._rooted(each) for each in value] if isinstance(value, list) else self._rooted(value)

    def _rooted(self, name: Any, *, or_name: bool = False) -> str:
        """A path that starts where the file lies; with `or_name` the name itself where nothing of it lies there."""
        path = self.file.folder / Path(str(name)).expanduser()
        return str(name) if or_name and not path.exists() else str(path)

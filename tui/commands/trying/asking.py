"""Asks the chosen model how a project is tested where rules end (`--ask-model`), shows what it proposes, and tries that in the sandbox once it may."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from msgspec import structs

from corpora.history.environments import Said
from corpora.history.proposals import Proposal, Proposals, proposals_in, question
from corpora.history.repository.selection import CommitSelection
from replay.options import ReplayOptions
from runners.environments import NotTestable
from runners.project import ALLOW_NETWORK
from server.chat import ask_chat
from server.errors import ProviderError
from server.providers import registry
from server.settings import ProviderSettings
from tui.commands.trying.finding import FoundTests, TestFinder, ended_by_ctrl_c
from tui.errors import ConfigurationError
from tui.figures import number_of
from tui.terminal_text import one_line, shorten

CHATS = ("openai", "ollama", "anthropic")
"""Providers whose models answer questions; the others continue text, or have no model."""
_TOKENS, _PATIENCE_S, _WIDTH = 2_000, 180.0, 300


@dataclass(frozen=True, slots=True)
class AskFlags:
    """Whether a model is asked, and whether what it proposes runs without a question."""

    ask: bool = False
    run: bool = False


def refuse_unable(flags: AskFlags, options: ReplayOptions) -> None:
    """Refuse what cannot be asked, or would run without walls.

    Raises:
        ConfigurationError: it is so.

    """
    if not flags.ask:
        if flags.run:
            raise ConfigurationError("--run-proposals is about what --ask-model brings: add that, or leave it out")
        return
    if options.provider not in CHATS:
        raise ConfigurationError(
            f"--ask-model needs a model that answers questions, and provider {options.provider} has none: choose --provider {', '.join(CHATS[:-1])} or {CHATS[-1]}"
        )
    if options.sandbox == "none":
        raise ConfigurationError(
            "--ask-model runs what a model proposes in a sandbox only: leave --sandbox none or --ask-model out"
        )


def confirmed(text: str) -> bool:
    """Ask the person, on standard error; no where nobody sits at a terminal.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.

    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        with ended_by_ctrl_c():
            return typer.confirm(text, default=False, err=True)
    except typer.Abort as error:
        raise KeyboardInterrupt from error


@dataclass(frozen=True, slots=True)
class ModelAdvice:
    """Asks a model, and tries what it proposes."""

    finder: TestFinder
    options: ReplayOptions
    flags: AskFlags
    say: Callable[[str], None]
    confirm: Callable[[str], bool] = confirmed

    async def found(self, selection: CommitSelection, failure: NotTestable) -> FoundTests | None:
        """How the project is tested as the model proposes; None if nothing of it may run, or passes.

        Raises:
            ProviderError: the model cannot be asked.

        """
        files = self.finder.newest_files(selection, self.options.seed)
        proposals = await self._proposals(files, failure)
        allowed = dict(self._shown(proposals))
        if not allowed or not self._may_run(allowed):
            return None
        for each in allowed.values():
            finder = replace(self.finder, said=self._said(each))
            try:
                return await finder.find(selection, self.options.seed)
            except NotTestable:
                self.say(f"  that did not work: {shorten(one_line(each.command), _WIDTH)}")
        return None

    async def _proposals(self, files: Mapping[str, str], failure: NotTestable) -> Proposals:
        """What the model proposes; an answer of use that it gave before to the same question about the same files is kept."""
        kept = self.finder.folder / f"advice-{self._key(files)}.txt"
        known = _kept(kept)
        if known.found and not self.finder.again:
            self.say(f"{self._model} was asked before (--try-again asks again)")
            return known
        answer = await self._answer(files, failure)
        proposals = proposals_in(answer)
        if proposals.found:
            _keep(kept, answer)
        return proposals

    async def _answer(self, files: Mapping[str, str], failure: NotTestable) -> str:
        asked = question(files, failure.trials, self.finder.said.setup_env.values())
        self.say(
            f"{self._model} is asked: the names of {number_of(asked.name_count, 'file')}, the texts of {', '.join(asked.files) or 'none'}, and the ends of "
            f"{number_of(len(failure.trials), 'log')} are sent to {self.options.settings.provider.base_url or 'its own address'}"
        )
        provider = registry.make(_settings(self.options.settings.provider))
        try:
            await provider.start()
            return await ask_chat(provider, asked.messages)
        except ProviderError as error:
            raise ProviderError(f"--ask-model: {error}") from error
        finally:
            await provider.close()

    def _key(self, files: Mapping[str, str]) -> str:
        whole = repr((self._model, self.finder.said.members, sorted(files.items())))
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _shown(self, proposals: Proposals) -> Iterator[tuple[int, Proposal]]:
        """Those that may run, by their number, after each was shown."""
        for reason in proposals.refused:
            self.say(f"  its answer is of no use: {shorten(one_line(reason), _WIDTH)}")
        for number, each in enumerate(proposals.found, 1):
            refused = each.network and not self.options.network_setup
            said = {name: ", ".join(value) if name == "requires" else value for name, value in each.members.items()}
            lines = [f"    {name}: {one_line(value)}" for name, value in said.items() if value not in ("", ".")]
            why = f" (refused: its set-up needs the network; if you trust it, allow that with {ALLOW_NETWORK})"
            self.say("\n".join([f"  it proposes ({number}){why if refused else ':'}", *lines]))
            if not refused:
                yield number, each

    def _may_run(self, allowed: Mapping[int, Proposal]) -> bool:
        """Whether these proposals, by their numbers, may run; what their set-ups get is said before."""
        plans = {number: self._said(each) for number, each in allowed.items()}
        rights = _rights({number: said for number, said in plans.items() if said.members["setup"]})
        if self.flags.run:
            self.say(f"  tried in the sandbox, {rights}")
            return True
        if self.confirm(f"Try this in the sandbox, {rights}?"):
            return True
        self.say("  none of it was run: answer y at a terminal, or add --run-proposals")
        return False

    def _said(self, proposal: Proposal) -> Said:
        """What is said of the tests, with the proposal below what a person says.

        A set-up that the model proposes has the network only where the proposal asks for it, too.
        """
        said = self.finder.said
        origins = {name: f"the model {self._model}" for name in proposal.members if name not in said.members}
        network = said.network and (proposal.network or "setup" in said.members)
        return replace(
            said, members={**proposal.members, **said.members}, origins={**origins, **said.origins}, network=network
        )

    @property
    def _model(self) -> str:
        return one_line(self.options.settings.provider.model or self.options.provider)


def _settings(given: ProviderSettings) -> ProviderSettings:
    """The same model, with room and time for a whole answer."""
    return structs.replace(
        given, max_tokens=max(given.max_tokens, _TOKENS), temperature=0.0, timeout_s=max(given.timeout_s, _PATIENCE_S)
    )


def _rights(set_ups: Mapping[int, Said]) -> str:
    """What set-ups get, by the numbers of their proposals. Example: `with the network for the set-up of (2), and with the variables TOKEN for the set-up of (1), (2)`."""
    fetching = [number for number, said in set_ups.items() if said.network]
    network = f"with the network for the set-up of {_numbers(fetching)}" if fetching else "without network"
    names = sorted({name for said in set_ups.values() for name in said.setup_env})
    return network + (
        f", and with the variables {', '.join(names)} for the set-up of {_numbers(set_ups)}" if names else ""
    )


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(f"({number})" for number in numbers)


def _kept(file: Path) -> Proposals:
    """What a kept answer proposes; nothing if there is none, or if it cannot be read."""
    try:
        return proposals_in(file.read_text("utf-8", "replace"))
    except OSError:
        return Proposals()


def _keep(file: Path, answer: str) -> None:
    """Write an answer to its file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    partial.write_text(answer, "utf-8", "replace")
    partial.replace(file)

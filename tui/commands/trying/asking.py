"""Asks the chosen model how a project is tested where rules end (`--ask-model`), shows what it proposes, and tries that in the sandbox once it may."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import click
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
            return click.confirm(text, default=False, err=True)
    except click.Abort as error:
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
        proposals = proposals_in(await self._answer(files, failure))
        allowed = list(self._shown(proposals))
        if not allowed or not self._may_run():
            return None
        for each in allowed:
            finder = replace(self.finder, said=self._said(each))
            try:
                return await finder.find(selection, self.options.seed)
            except NotTestable:
                self.say(f"  that did not work: {shorten(one_line(each.command), _WIDTH)}")
        return None

    async def _answer(self, files: Mapping[str, str], failure: NotTestable) -> str:
        """The model's answer; one that it gave before to the same question about the same files is kept."""
        asked = question(files, failure.trials)
        kept = self.finder.folder / f"advice-{self._key(files)}.txt"
        if kept.exists() and not self.finder.again:
            self.say(f"{self._model} was asked before (--try-again asks again)")
            return kept.read_text("utf-8")
        self.say(
            f"{self._model} is asked: the names of {number_of(asked.names, 'file')}, the texts of {', '.join(asked.files) or 'none'}, and the ends of "
            f"{number_of(len(failure.trials), 'log')} are sent to {self.options.settings.provider.base_url or 'its own address'}"
        )
        provider = registry.make(_settings(self.options.settings.provider))
        try:
            await provider.start()
            answer = await ask_chat(provider, asked.messages)
        except ProviderError as error:
            raise ProviderError(f"--ask-model: {error}") from error
        finally:
            await provider.close()
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(answer, "utf-8")
        return answer

    def _key(self, files: Mapping[str, str]) -> str:
        whole = repr((self._model, self.finder.said.members, sorted(files.items())))
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _shown(self, proposals: Proposals) -> Iterator[Proposal]:
        """Those that may run, after each was shown."""
        for reason in proposals.refused:
            self.say(f"  its answer is of no use: {shorten(one_line(reason), _WIDTH)}")
        for number, each in enumerate(proposals.found, 1):
            refused = each.network and not self.options.network_setup
            said = {name: ", ".join(value) if name == "requires" else value for name, value in each.members.items()}
            lines = [f"    {name}: {one_line(value)}" for name, value in said.items() if value not in ("", ".")]
            why = f" (refused: its set-up needs the network; if you trust it, allow that with {ALLOW_NETWORK})"
            self.say("\n".join([f"  it proposes ({number}){why if refused else ':'}", *lines]))
            if not refused:
                yield each

    def _may_run(self) -> bool:
        if self.flags.run or self.confirm("Try this in the sandbox, without network?"):
            return True
        self.say("  none of it was run: answer y at a terminal, or add --run-proposals")
        return False

    def _said(self, proposal: Proposal) -> Said:
        """What is said of the tests, with the proposal below what a person says."""
        said = self.finder.said
        origins = {name: f"the model {self._model}" for name in proposal.members if name not in said.members}
        return replace(said, members={**proposal.members, **said.members}, origins={**origins, **said.origins})

    @property
    def _model(self) -> str:
        return one_line(self.options.settings.provider.model or self.options.provider)


def _settings(given: ProviderSettings) -> ProviderSettings:
    """The same model, with room and time for a whole answer."""
    return structs.replace(
        given, max_tokens=max(given.max_tokens, _TOKENS), temperature=0.0, timeout_s=max(given.timeout_s, _PATIENCE_S)
    )

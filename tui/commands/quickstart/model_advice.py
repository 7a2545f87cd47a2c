"""Asks the chosen model how a project is tested where rules end (`--ask-model`), shows what it proposes, and tries that in the sandbox once it may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from corpora.history.advice import AdviceRights, AdvisingProvider, ModelAdvice
from corpora.history.repository.commit_selection import CommitSelection
from replay.options import ReplayOptions
from runners.environments import NotTestable
from server.errors import ProviderError
from tui.commands.options.chat_options import ASSISTANTS
from tui.commands.quickstart.way_search import FoundTests, TestFinder
from tui.errors import ConfigurationError
from tui.terminal_text import one_line, shorten
from tui.watching.confirming import confirmed


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
    if options.provider not in ASSISTANTS:
        raise ConfigurationError(
            f"--ask-model needs a model that answers questions, and provider {options.provider} has none: choose --provider {', '.join(ASSISTANTS[:-1])} or {ASSISTANTS[-1]}"
        )
    if options.sandbox == "none":
        raise ConfigurationError(
            "--ask-model runs what a model proposes in a sandbox only: leave --sandbox none or --ask-model out"
        )


@dataclass(frozen=True, slots=True)
class FinderAdvice:
    """Asks the chosen model about the project of a finder, and lets the finder try what it proposes."""

    finder: TestFinder
    options: ReplayOptions
    flags: AskFlags
    say: Callable[[str], None]

    async def found(self, selection: CommitSelection, failure: NotTestable) -> FoundTests | None:
        """How the project is tested as the model proposes; None if nothing of it may run, or passes.

        Raises:
            ProviderError: the model cannot be asked.

        """
        seed, settings = self.options.seed, self.options.settings.provider
        advice = ModelAdvice(
            AdvisingProvider(settings, one_line(settings.model or self.options.provider)),
            self.finder.said,
            AdviceRights(self.flags.run, self.options.network_setup),
            self.finder.folder,
            self.say,
            confirmed,
            again=self.finder.again,
            line=lambda text, width: shorten(one_line(text), width),
        )
        files = self.finder.newest_files(selection, seed)
        try:
            return await advice.found(
                files, failure, lambda said: replace(self.finder, said=said).find(selection, seed)
            )
        except ProviderError as error:
            raise ProviderError(f"--ask-model: {error}") from error

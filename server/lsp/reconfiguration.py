"""`workspace/didChangeConfiguration` and `workspace/configuration`: the settings change while the server runs.

A client pushes its settings, or says only that they changed; then the server asks for them. The same members count as in
`initializationOptions`. Settings that cannot be used are shown to the person, and change nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from server.api_keys import masked
from server.errors import ProviderError, ProviderMissing, SettingsError
from server.lsp.server import Server, refuse_oracle
from server.nearest import did_you_mean
from server.providers import registry
from server.providers.protocol import Provider, feedback_provider
from server.settings import ProviderSettings, Settings, merge

ClientOptions: TypeAlias = Mapping[str, Any]
"""Settings of a client as JSON values, as in `initializationOptions`."""
SECTION = "ghosttape"
"""The member under which editors keep the settings of this server."""
_MEMBERS = tuple(field.encode_name for field in msgspec.structs.fields(Settings))
_log = logging.getLogger("ghosttape.server")


async def configuration_changed(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Use the settings that the client sends or, if it sends none, that it has. One change is carried out after the other."""
    async with ls.reconfiguring:
        try:
            options = _section(params.settings)
            if options is None and _can_be_asked(ls):
                options = await _asked(ls)
            if options is not None:
                await _use(ls, merge(ls.initial.settings, {**ls.initial.options, **_known(options)}))
        except (ProviderMissing, SettingsError) as error:
            ls.show_error(f"ghosttape keeps its settings, because the new ones cannot be used: {masked(str(error))}")


def _section(settings: Any) -> ClientOptions | None:
    """The settings of this server in what a client sends: its section, or the members themselves; None if there is nothing of ours."""
    if not isinstance(settings, Mapping):
        return None
    if SECTION in settings:
        return _options(settings[SECTION])
    return settings if any(member in settings for member in _MEMBERS) else None


def _options(section: Any) -> ClientOptions:
    if section is not None and not isinstance(section, Mapping):
        raise SettingsError(f"{SECTION} must be a JSON object, not {type(section).__name__}")
    return section or {}


def _can_be_asked(ls: Server) -> bool:
    workspace = ls.client_capabilities.workspace
    return bool(workspace and workspace.configuration)


async def _asked(ls: Server) -> ClientOptions | None:
    wanted = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        sections = await ls.workspace_configuration_async(wanted)
    except JsonRpcException as error:
        _log.warning("the client did not tell its settings: %s", masked(str(error)))
        return None
    return _options(sections[0]) if sections else None


def _known(options: ClientOptions) -> ClientOptions:
    """The members that are settings of the server. Others are the client's own, unless they are nearly the name of one.

    Raises:
        SettingsError: a name is nearly right.

    """
    for name in options:
        if name not in _MEMBERS and (proposal := did_you_mean(name, _MEMBERS)):
            raise SettingsError(f"settings: there is no `{name}`{proposal}")
    return {name: value for name, value in options.items() if name in _MEMBERS and value is not None}


async def _use(ls: Server, settings: Settings) -> None:
    if settings == ls.settings:
        return
    refuse_oracle(settings.provider)
    provider = None if settings.provider == ls.settings.provider else await started_provider(ls, settings.provider)
    await ls.reconfigure(settings, provider)


async def started_provider(ls: Server, settings: ProviderSettings) -> Provider:
    """Make a provider, ready to answer. The server's own one answers meanwhile.

    Raises:
        ProviderMissing, SettingsError: the provider lacks something, or there is none of that name.

    """
    provider = registry.make(settings, ls.shared_answers)
    try:
        if (wants_feedback := feedback_provider(provider)) is not None:
            wants_feedback.set_folders(ls.folders)
        await provider.start()
    except (asyncio.CancelledError, ProviderMissing, SettingsError):
        await provider.close()
        raise
    except ProviderError as error:
        _log.warning("%s", masked(str(error)))  # its server may come later, as at the start
    return provider

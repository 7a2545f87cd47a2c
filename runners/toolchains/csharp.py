from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.protocol import ENVIRONMENT
from runners.toolchains.outside_usr import own_folder
from runners.toolchains.protocol import Layer, refuse_requirements

_QUIET = ("DOTNET_NOLOGO", "DOTNET_CLI_TELEMETRY_OPTOUT", "DOTNET_SKIP_FIRST_TIME_EXPERIENCE")


@dataclass(frozen=True, slots=True)
class CSharp:
    """The machine's .NET SDK."""

    name: str = "csharp"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Show the SDK's folder; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        if (dotnet := shutil.which("dotnet")) is None:
            raise ToolchainMissing("dotnet is not on PATH: install the .NET SDK, 8 or later")
        root = Path(dotnet).resolve().parent  # noqa: ASYNC240 - one link
        env = {"PATH": f"{root}:{ENVIRONMENT['PATH']}", "DOTNET_ROOT": str(root), "DOTNET_CLI_HOME": "/tmp"}  # noqa: S108
        return Layer(own_folder(root, "dotnet"), env | dict.fromkeys(_QUIET, "1"))

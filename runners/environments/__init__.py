"""How a project is tested: found out from its own files, and tried in the sandbox."""

from runners.environments.candidate import Assumption, Candidate
from runners.environments.detecting import candidates, likeliest
from runners.environments.trying import NotTestable, SettledWay, TriedWay, WayTester, package_name

__all__ = [
    "Assumption",
    "Candidate",
    "NotTestable",
    "SettledWay",
    "TriedWay",
    "WayTester",
    "candidates",
    "likeliest",
    "package_name",
]

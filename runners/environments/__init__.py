"""How a project is tested: found out from its own files, and tried in the sandbox."""

from runners.environments.candidate import LINKED, Assumption, Candidate
from runners.environments.detecting import candidates, likeliest
from runners.environments.tried_ways import KeptTrials, TriedWay
from runners.environments.way_tester import WITHIN_S, NotTestable, WayTester, WorkingWay, package_name

__all__ = [
    "LINKED",
    "WITHIN_S",
    "Assumption",
    "Candidate",
    "KeptTrials",
    "NotTestable",
    "TriedWay",
    "WayTester",
    "WorkingWay",
    "candidates",
    "likeliest",
    "package_name",
]

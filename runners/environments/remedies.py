"""What the log of tests that failed says about what is missing, and what can be done about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MODULE = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '([\w.]+)'")
_NODE_MODULE = re.compile(
    r"Can ?not find (?:module|package|dependency) '((?:@[\w.-]+/)?[\w.-]+)[^']*'|Could not resolve \"((?:@[\w.-]+/)?[\w.-]+)"
)
_UNBUILT = re.compile(
    r"Cannot find module '(\.{0,2}/?[^'\n]*(?:dist|build|lib|out)/[^'\n]*)'|Failed to resolve import \"([^\"\n]*dist[^\"\n]*)\""
)
_METADATA = re.compile(
    r"PackageNotFoundError|DistributionNotFound|No package metadata was found|_version'|cannot import name '_version'"
)
_FIXTURE = re.compile(r"fixture '(\w+)' not found")
_UNINSTALLABLE = re.compile(
    r"(?:No matching distribution found for|Could not find a version that satisfies the requirement|No matching version found for) ((?:@[\w.-]+/)?[A-Za-z0-9][\w.-]*)"
    r"|'((?:@[\w.-]+/)?[\w.-]+)@[^'\n]*' is not in this registry"
)
_NEEDING = re.compile(r"satisfies the requirement [^\n(]*\(from (?!versions\b)([A-Za-z0-9][\w.-]*)[^)\n]*\)")
_CONFLICT = re.compile(r"conflicting dependencies|ResolutionImpossible")
_SERVICE = re.compile(
    r"(redis|postgres|psycopg|mysql|mongo|amqp|rabbitmq|kafka|elasticsearch|memcached?|docker)[^\n]{0,200}(?:refused|unreachable|not connect|connecting to)"
    r"|(?:refused|connecting to|not connect)[^\n]{0,120}?(redis|postgres|mysql|mongo|rabbitmq|kafka|elasticsearch|memcached?|6379|5432|3306|27017|5672|9200|11211)",
    re.IGNORECASE,
)
_PORTS = {"6379": "redis", "5432": "postgres", "3306": "mysql", "27017": "mongo", "5672": "rabbitmq", "9200": "elasticsearch", "11211": "memcached"}  # fmt: skip
_PROGRAM = re.compile(
    r": (?:command )?not found$|unrecognized arguments|Unknown config option|unknown option|Tsconfig not found|Install \w+ or ",
    re.MULTILINE,
)
_BUSY = re.compile(
    r"Failed to start \w+ worker(?![\s\S]{0,1500}?^Caused by: (?!.*imeout))|Timeout (?:starting|waiting)|ETIMEDOUT",
    re.MULTILINE,
)
_INSIDE = re.compile(r"node_modules/((?:@[\w.-]+/)?\w[\w.-]*)/")
_MOST_INSIDE = 8
_UNREACHED = re.compile(
    r"(?:Could not resolve host(?:name)?|Unknown host|Temporary failure in name resolution|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|lookup)\W+(?:Could not resolve host: )?([\w-]+(?:\.[\w-]+)+)",
    re.IGNORECASE,
)
_FAILED = re.compile(r"^(FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_FAILING = re.compile(
    r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$"  # pytest
    r"|^ *not ok \d+ -? ?(?!.* # (?i:todo|skip)\b)(\S.*?)(?: # .*)?$"  # TAP: node --test, tap, tape, ava
    r"|^ *(?:FAIL) +(\S.*?)(?: \[.*\])?$"  # vitest, jest
    r"|^ *--- FAIL: (\S+)"  # go test
    r"|^test (\S+) \.\.\. FAILED$",  # cargo test
    re.MULTILINE,
)
FIXTURES = {
    "mocker": "pytest-mock",
    "benchmark": "pytest-benchmark",
    "snapshot": "syrupy",
    "httpx_mock": "pytest-httpx",
    "requests_mock": "requests-mock",
    "freezer": "pytest-freezer",
    "subtests": "pytest-subtests",
    "httpserver": "pytest-httpserver",
    "aiohttp_client": "pytest-aiohttp",
    "event_loop": "pytest-asyncio",
    "data_regression": "pytest-regressions",
    "file_regression": "pytest-regressions",
    "datadir": "pytest-datadir",
    "fs": "pyfakefs",
    "faker": "Faker",
    "qtbot": "pytest-qt",
    "live_server": "pytest-django",
    "db": "pytest-django",
    "anyio_backend": "anyio",
    "image_regression": "pytest-regressions",
}
"""Fixture → the plugin of pytest that gives it, from the pages of the plugins."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a log names as missing."""

    modules: tuple[str, ...] = ()
    """Modules of Python that could not be imported, by their outermost package."""
    packages: tuple[str, ...] = ()
    """Packages of npm that could not be found."""
    inside: tuple[str, ...] = ()
    """Packages of npm in whose files errors arose, the first ones: those that a stack of calls names."""
    fixtures: tuple[str, ...] = ()
    uninstallable: tuple[str, ...] = ()
    """Packages that the index has not, or not as a wheel for this interpreter."""
    needing: tuple[str, ...] = ()
    """Packages that need one of these."""
    conflict: bool = False
    """Whether the versions that are asked for exclude each other."""
    metadata: bool = False
    """Whether the project asks for its own version, as an installed package has it."""
    unbuilt: str = ""
    """A file that only a build writes."""
    service: str = ""
    """A service that would have to run."""
    unreached: str = ""
    """A host of the network that could not be reached."""
    failed: tuple[str, ...] = ()
    """The tests, and files of tests, that pytest names as failed."""
    busy: bool = False
    """Whether the machine may have been too busy."""
    program: bool = False
    """Whether a program was not found, or an option of one is not known."""

    @property
    def is_more_needed(self) -> bool:
        """Whether another choice of packages, or a build, may help."""
        return not self.service and bool(
            self.modules or self.packages or self.fixtures or self.metadata or self.unbuilt or self.program
        )


def missing_in(log: str) -> Missing:
    """Read a log for what is missing."""
    packages = (one or other for one, other in _NODE_MODULE.findall(log))
    return Missing(
        modules=_once(name.partition(".")[0] for name in _MODULE.findall(log)),
        packages=_once(name for name in packages if not name.startswith((".", "/"))),
        inside=_once(_INSIDE.findall(log))[:_MOST_INSIDE],
        fixtures=_once(_FIXTURE.findall(log)),
        uninstallable=_once(one or other for one, other in _UNINSTALLABLE.findall(log)),
        needing=_once(_NEEDING.findall(log)),
        conflict=bool(_CONFLICT.search(log)),
        metadata=bool(_METADATA.search(log)),
        unbuilt=next((one or other for one, other in _UNBUILT.findall(log)), ""),
        service=_service(log),
        unreached=found[1] if (found := _UNREACHED.search(log)) else "",
        failed=_once(name for _, name in _FAILED.findall(log)),
        busy=bool(_BUSY.search(log)),
        program=bool(_PROGRAM.search(log)),
    )


def failing_tests(log: str) -> tuple[str, ...]:
    """The tests, or files of tests, that the log of a usual runner names as failed; none where it names none."""
    return _once(next(filter(None, found)) for found in _FAILING.findall(log))


def _service(log: str) -> str:
    found = _SERVICE.search(log)
    said = (found[1] or found[2] or "").lower() if found else ""
    return _PORTS.get(said, said)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))

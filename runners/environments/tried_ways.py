"""A way that was tried, how it ended, and the file that keeps those that failed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from runners.environments.candidate import Candidate
from runners.project import ProjectPlan
from runners.toolchains import Unsupported
from runners.verdicts import Result
from runners.verdicts.shown_text import plain

_FEW_BY_CHANCE = 2
_LONGEST = 300
"""Characters of a problem at most."""
_CAUSE = re.compile(r"^[ \t]*(?:Caused by|\[cause\]): (.+)$", re.MULTILINE)
_ASSERTED = re.compile(r"^.*(?:\bAssertion .+ failed|terminate called after|ERROR: AddressSanitizer).*$", re.MULTILINE)
"""What a program writes before it ends itself by a signal (assert of C, the C++ run time, sanitizers)."""
_NEAR = 1500
"""The cause of an error stands at most so many characters behind it."""


@dataclass(frozen=True, slots=True)
class TriedWay:
    """A way that was tried, and how it ended."""

    candidate: Candidate
    result: Result | None
    """How the tests ended; None if the project could not even be set up."""
    problem: str
    """One line that says what went wrong; empty if the tests passed."""
    log: str
    wall_s: float
    """From the beginning to the verdict, installing included."""
    is_toolchain_missing: bool = False
    """Whether its interpreter or compiler is not installed: no other way with the same one can be tried."""
    is_cut: bool = False
    """Whether it was stopped because the time for finding out was over."""
    unsupported: tuple[Unsupported, ...] = ()
    """Of the installed packages those that are not made for the interpreter here."""

    @property
    def missing(self) -> Missing:
        """What its log names as missing."""
        return missing_in(self.log)

    @property
    def may_be_chance(self) -> bool:
        """Whether another run may pass: few tests failed, for no reason that a log tells."""
        result, missing = self.result, self.missing
        few = result is not None and bool(result.failed) and (result.failed or 0) <= _FEW_BY_CHANCE
        return (few or missing.busy) and not missing.is_more_needed and not missing.service

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the same would come of it again: its tests ran and failed, and neither the machine nor the time is the reason: on a busy machine tests take longer."""
        ran = self.result is not None and self.result.verdict_class not in {"infrastructure", "timeout"}
        return ran and bool(self.problem) and not self.is_cut and not self.missing.busy


@dataclass(frozen=True, slots=True)
class KeptTrials:
    """The ways of one project, at one commit, that were tried and failed: each is written to a file as soon as it ended.

    Whoever has another commit, other flags or another version of ghosttape names another file. Without a file nothing is kept.
    """

    file: Path | None = None

    def of(self, candidate: Candidate) -> TriedWay | None:
        """How a way ended before; None if it was not tried, or would perhaps end otherwise now. It is the way that is given: the values of its variables are not kept."""
        before = self._all().get(_key(candidate.plan))
        return replace(before, candidate=candidate) if before else None

    def keep(self, trial: TriedWay) -> None:
        """Write down how a way ended, if that is worth keeping."""
        if self.file is None or not trial.is_worth_keeping:
            return
        known = self._all() | {_key(trial.candidate.plan): _without_values(trial)}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        partial = self.file.with_suffix(".partial")
        partial.write_bytes(msgspec.json.encode(known))
        partial.replace(self.file)

    def _all(self) -> dict[str, TriedWay]:
        """What the file holds; nothing if there is none, or if it is of no use."""
        try:
            found = self.file.read_bytes() if self.file is not None else b"{}"
            return msgspec.json.decode(found, type=dict[str, TriedWay])
        except (OSError, msgspec.DecodeError):
            return {}


def _key(plan: ProjectPlan) -> str:
    """What tells ways apart, without the values of variables, which may be keys."""
    return hashlib.sha256(repr(replace(plan, setup_env={})).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _without_values(trial: TriedWay) -> TriedWay:
    """The same without the values of variables of the set-up: they are never written."""
    candidate = trial.candidate
    return replace(trial, candidate=replace(candidate, plan=replace(candidate.plan, setup_env={})))


def problem_of(result: Result, plan: ProjectPlan) -> str:
    """One line that says what went wrong in a run of the tests; empty if they passed."""
    if result.verdict_class == "passed":
        return "no test ran" if result.passed == 0 else ""
    if result.verdict_class == "timeout":
        return f"the tests take longer than {plan.timeout_s:g} s"
    counts = f"{result.failed} of {(result.passed or 0) + result.failed} tests fail" if result.failed else ""
    cause = _with_cause(result) or f"the tests end with {result.verdict_class}"
    if counts and cause.startswith(f"{result.failed} of "):  # all that is known is how many
        return counts
    return ": ".join(filter(None, (counts, cause)))


def _with_cause(result: Result) -> str:
    """The message of a result; where no test ran, with what its log names as the cause. Example: `Error: worker failed: TypeError: x`."""
    message = result.message
    if result.verdict_class == "crashed" and (said := _ASSERTED.search(result.log)):
        return f"{message}: {said[0].strip()}"[:_LONGEST]
    begin = result.log.find(message)
    if result.passed or not message or begin < 0:
        return message
    found = _CAUSE.search(result.log, begin, begin + len(message) + _NEAR)
    return f"{message.rstrip('.')}: {found[1]}"[:_LONGEST] if found else message


def error_line(text: str) -> str:
    """The first line of an error that says something, shortened. What only announces further lines says nothing: `[ERROR] Some problems were encountered while processing the POMs:`."""
    lines = [re.sub(r"^(?:\[ERROR\] ?)+", "ERROR: ", line) for line in plain(text).splitlines() if line.strip()]
    errors = [
        line for line in lines if line.startswith("ERROR") or "error:" in line.lower() or "error notarget" in line
    ]
    found = next((line for line in errors if not line.rstrip().endswith(":")), "") or next(iter(errors + lines), "")
    return found[:_LONGEST]


# What the log of tests that failed says about what is missing, and what can be done about it.

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

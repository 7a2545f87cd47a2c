"""Run the tests of real editors, containers, kills and whole data: `python -m tests.real [OPTIONS OF PYTEST]` (`make test-real`).

What only waits for processes runs side by side; then, one after the other, the editor, whose tests go at a person's pace; then the
properties of the ordinary suite, each with ten times as many examples or inputs. A test that failed is tried again alone, at the end, when nothing
else runs: red twice is red. The last lines name what passed only then, and what was left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.second_tries import LEFT_OUT, has_passed

ROOT = Path(__file__).parents[2]
EDITORS = "tests/real/vscode"
SIDE_BY_SIDE = ("-n", str(2 * (os.cpu_count() or 1)), "--dist", "worksteal")
SLOWEST = ("--durations=20", "--durations-min=5")
PASSED, FAILED, NONE_CHOSEN = 0, 1, 5
MOST_AGAIN = 20
"""The most tests that are tried again: more do not fail of time."""


def run(folder: Path, *words: str, scale: int = 1) -> tuple[int, list[str]]:
    """Run pytest with its cache in a folder of its own; its exit status, and the tests that failed."""
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={folder}", *words]
    done = subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "GHOSTTAPE_TEST_SCALE": str(scale)})
    file = folder / "v/cache/lastfailed"
    return done.returncode, sorted(json.loads(file.read_text())) if file.exists() else []


def main(options: list[str]) -> int:
    """Run every stage; 0 where each test passed at its first or second try."""
    alone, broken = [], []
    stages = {
        "side by side": (("tests/real", f"--ignore={EDITORS}", *SIDE_BY_SIDE, *SLOWEST), 1),
        "editors": ((EDITORS, "-n0", *SLOWEST), 1),
        "properties": (("-m", "hypothesis or sampled", *SIDE_BY_SIDE), 10),
    }
    with tempfile.TemporaryDirectory(prefix="ghosttape-tests-") as place:
        left = Path(place) / "left-out"
        os.environ[LEFT_OUT] = str(left)
        for number, (name, (words, scale)) in enumerate(stages.items()):
            print(f"\n{name}: pytest {' '.join(words)}", flush=True)
            status, failed = run(Path(place) / str(number), *words, *options, scale=scale)
            alone += [(test, scale) for test in failed]
            if status not in {PASSED, FAILED, NONE_CHOSEN} or (status == FAILED and not failed):
                broken.append(f"{name}: pytest ended with {status}")
        left_out = sorted(Counter(left.read_text().splitlines()).items()) if left.exists() else []
        tried_again = []
        for number, (test, scale) in enumerate(alone if len(alone) <= MOST_AGAIN else ()):
            print(f"\nalone, again: {test}", flush=True)
            report = Path(place) / f"alone-{number}.xml"
            run(Path(place) / f"alone-{number}", test, "-n0", f"--junitxml={report}", *options, scale=scale)
            tried_again.append((test, has_passed(report)))
    unsteady = [test for test, passed in tried_again if passed]
    red = [test for test, passed in tried_again if not passed] + broken
    if len(alone) > MOST_AGAIN:
        red += [test for test, _ in alone]
    print(f"\nleft out: {sum(count for _, count in left_out)}")
    print("\n".join(f"  {reason} ({count})" for reason, count in left_out) or "  nothing: every test ran")
    for title, tests in (
        ("passed only alone, at the second try", unsteady),
        ("failed twice, or with too many others", red),
    ):
        if tests:
            print(f"\n{title}: {len(tests)}")
            print("\n".join(f"  {test}" for test in tests))
    return 1 if red else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

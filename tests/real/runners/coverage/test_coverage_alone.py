"""The lines of each test, beside what coverage.py says of that test alone."""

import os
import subprocess
import sys

from coverage import CoverageData

from runners.coverage import record_coverage
from tests.support.covered_project import (  # noqa: F401
    FILES,
    SMALL,
    UNIT,
    project_in_bubblewrap,
)


def alone(folder, *words):
    """What one plain run of coverage.py says: path → lines."""
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COVERAGE_FILE": str(folder / ".coverage")}
    command = [
        sys.executable,
        "-m",
        "coverage",
        "run",
        "--include=*.py",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    subprocess.run([*command, *words], cwd=folder, env=env, check=True, capture_output=True)
    data = CoverageData(str(folder / ".coverage"))
    data.read()
    return {name: set(data.lines(str(folder / name)) or ()) for name in FILES}


async def test_the_lines_of_each_test_are_those_of_a_plain_run_of_it(project, cache, tmp_path):
    result, found = await record_coverage(await project(), cache, lambda _: None)
    assert (result.verdict_class, result.passed) == ("passed", 9)
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    imported = alone(tmp_path, "--collect-only")
    for test in (SMALL, UNIT, "test_m.py::test_wrong"):
        lines = alone(tmp_path, test)
        for path, own in lines.items():
            for number in own - imported[path]:
                names = found.touching(path, number, number)
                assert names is None or test in names, (test, path, number)
        for path, touched in found.lines.items():
            told = {number for number, names in touched.items() if names is not None and test in names}
            assert told <= lines[path], (test, path)

"""What is kept of what was found out about a project's tests."""

import msgspec

from runners.environments import Candidate
from runners.project import ProjectPlan
from tui.commands.trying.finding import _Known


def test_values_of_variables_are_not_kept():
    known = _Known(Candidate("pytest", ProjectPlan("python", setup_env={"TOKEN": "s3cret"})), 1.0, 2)
    written = msgspec.json.encode(known.with_values({}))
    assert b"s3cret" not in written
    read = msgspec.json.decode(written, type=_Known)
    assert read.with_values({"TOKEN": "new"}).works.plan.setup_env == {"TOKEN": "new"}

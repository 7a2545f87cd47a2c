"""All sandboxes, containers too."""

import pytest

from runners.sandboxes import AUTO
from tests.support.sandboxes import (  # noqa: F401
    alive,
    bubblewrap,
    container_engine,
    docker,
    fresh_programs,
    missing,
    need_for,
    programs,
    python,
    run,
    sandbox_of,
)


@pytest.fixture(params=[*AUTO, "docker"])
def sandbox(request):
    return sandbox_of(request)

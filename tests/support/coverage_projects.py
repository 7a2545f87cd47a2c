"""What tests of coverage share: projects that are laid out in the sandbox."""

import pytest

from runners.project import prepare


@pytest.fixture
async def project(bubblewrap, cache, need):
    """A function that lays out a project."""
    need("node", "npm")
    made = []

    async def make_project(plan, files):
        made.append(await prepare(files, plan, bubblewrap, cache, lambda _: None))
        return made[-1]

    yield make_project
    for one in made:
        one.close()

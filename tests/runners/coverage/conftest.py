"""Projects that are laid out in the sandbox."""

from tests.support.coverage_projects import project  # noqa: F401

"""Made-up questions in the form of EFCB."""

from tests.support.efcb_questions import write_questions  # noqa: F401

"""Makes questions of EFCB's kind from the pull requests of any repository, and a Hard that its shape does not solve."""

from corpora.efcb.making.git_pull_requests import PullRequest, pull_requests
from corpora.efcb.making.question_maker import QuestionMaker, write_questions

__all__ = ["PullRequest", "QuestionMaker", "pull_requests", "write_questions"]

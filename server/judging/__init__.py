"""Models as judges of text: a rubric, a scale, blinding, and a parser that guesses nothing."""

from server.judging.judge import Judge, Judgement
from server.judging.rubric import Rubric, score_in

__all__ = ["Judge", "Judgement", "Rubric", "score_in"]

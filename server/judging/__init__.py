"""Models as judges of text: a rubric, a scale, blinding, and a parser that guesses nothing."""

from server.judging.judge import Judgement, TextJudge
from server.judging.rubric import Rubric, score_in

__all__ = ["Judgement", "Rubric", "TextJudge", "score_in"]

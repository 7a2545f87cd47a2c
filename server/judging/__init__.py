"""Models as judges of text: a rubric, a scale, blinding, and a parser that guesses nothing."""

from server.judging.rubric_judge import Judgement, Rubric, TextJudge, score_in

__all__ = ["Judgement", "Rubric", "TextJudge", "score_in"]

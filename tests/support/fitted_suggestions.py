"""Suggestions at the moments of tapes that say what was written there, and their holes."""

import random

from replay.judge.fitting import fit
from replay.judge.grafts import graft, hole_of, language_at, written_since
from replay.records import Suggestion
from syntax.parse import parse
from syntax.tokens import tokens
from tools.oracle_table import spots


def offered(spot, text, *, left=0, right=0):
    at = spot.moment.offset
    return Suggestion(text=text, start=at - left, end=at + right, latency=0.0)


def fitted(timeline, spot, suggestion):
    hole = hole_of(timeline, spot.moment, spot.before, spot.after)
    found = fit(timeline, hole, spot, suggestion)
    return found, graft(found.hole, suggestion, spot.moment, spot.before, spot.after)


def beginnings(timeline, spot, hole, luck):
    """Some beginnings of what was written at a place: up to the ends of tokens, the longest among them."""
    far = written_since(timeline, spot.moment, hole.start, hole.start + 3000)
    tree = parse(language_at(spot.moment), hole.final)
    ends = [token.end for token in tokens(tree, hole.start, far) if hole.start < token.end <= far]
    return [hole.final[hole.start : end].rstrip() for end in {*luck.sample(ends, min(4, len(ends))), *ends[-1:]}]


def asks(timeline, policy, most=None):
    """The places with a hole where a policy asks; with `most`, so many places drawn from them."""
    places = list(spots(timeline, policy))
    drawn = places if most is None or len(places) <= most else random.Random(policy).sample(places, most)
    for spot in drawn:
        hole = hole_of(timeline, spot.moment, spot.before, spot.after)
        if not isinstance(hole, str):
            yield spot, hole


def leave_the_document(timeline, policy, most=None):
    """How many beginnings of what was written leave the finished document as it is; an assertion fails where one does not."""
    luck, tried = random.Random(7), 0
    for spot, hole in asks(timeline, policy, most):
        for text in beginnings(timeline, spot, hole, luck):
            found, text_with_it = fitted(timeline, spot, offered(spot, text))
            assert text_with_it == hole.final, (spot.moment, text)
            assert not found.repeats, (spot.moment, text)
            tried += 1
    return tried

"""What is enough of an answer that comes character by character."""

import random

from msgspec.structs import replace

from server.repair.offer import enough
from tools.repair_tables import MODELS, golden_answers, published_answers


def enough_of(draft, size):
    return enough(replace(draft, text=draft.text[:size]), since=size - 1)


def drawn_answers(data, number):
    """So many answers of DevBench, of both models and the right ones."""
    known = [*(answer for model in MODELS for answer in published_answers(data, model)), *golden_answers(data)]
    return random.Random(1).sample(known, number)


def cut_differently(answers):
    """The answers of which something else is enough when they come character by character."""
    found = []
    for answer in answers:
        draft = answer.draft("auto")
        grown = (kept for size in range(len(draft.text) + 1) if (kept := enough_of(draft, size)) is not None)
        if next(grown, None) != enough(draft):
            found.append((answer.language, answer.category, answer.instance))
    return found

"""Made-up questions in the form of EFCB."""

import json
import random

import pytest

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
]


def patch_of(name, seed):
    draw = random.Random(f"{name}{seed}")
    return f"src/{name}.py\n@@ -1,2 +1,6 @@\n" + "\n".join(f"+{' '.join(draw.sample(WORDS, 6))}" for _ in range(6))


def swapped(text, draw):
    """The text with two of its words swapped, as EFCB makes its wrong choices."""
    lines = text.split("\n")
    words = lines[2][1:].split(" ")
    i, j = draw.sample(range(len(words)), 2)
    words[i], words[j] = words[j], words[i]
    return "\n".join([*lines[:2], "+" + " ".join(words), *lines[3:]])


def choice_row(description, choices, right):
    shown = "\n\n---\n\n".join(f"Choice {letter}:\n{text}" for letter, text in zip("ABCD", choices, strict=True))
    asked = f"Task Description:\n{description}\n\n---\n\n{shown}\n\n---\n"
    return {"input": [{"role": "system", "content": "Choose."}, {"role": "user", "content": asked}], "ideal": right}


def text_row(asked, ideal):
    return {"input": [{"role": "system", "content": "Write."}, {"role": "user", "content": asked}], "ideal": ideal}


@pytest.fixture
def write_questions(tmp_path):
    """Write made-up questions in the form of EFCB: `count` pull requests in each of some repositories."""

    def write(*repositories, count=8):
        for repository in repositories:
            _write(tmp_path / "efcb" / repository, repository, count)
        return tmp_path / "efcb"

    return write


def _write(folder, repository, count):
    folder.mkdir(parents=True)
    draw = random.Random(repository)
    patches = [patch_of(f"{repository}{n}", n) for n in range(count)]
    rows = {"mcq_easy": [], "mcq_hard": [], "mpr_gen": [], "reverse_qa": []}
    for number, own in enumerate(patches):
        description = f"{repository}{number} is mended"
        others = draw.sample([text for text in patches if text != own], 3)
        for kind, wrong in (("mcq_easy", others), ("mcq_hard", [swapped(own, draw) for _ in range(3)])):
            right = draw.randrange(4)
            rows[kind].append(choice_row(description, [*wrong[:right], own, *wrong[right:]], "ABCD"[right]))
        lines = own.split("\n")
        masked = "\n".join([*lines[:3], "[[MASK]]", *lines[6:]])
        rows["mpr_gen"].append(text_row(f"Title: t\n\nDescription: {description}\n\nCode Diff:\n{masked}\n---\n", own))
        rows["reverse_qa"].append(text_row(f"{own}\n---\n", f"Title: t{number}\n\nBody: {description}"))
    for kind, own_rows in rows.items():
        (folder / f"x_{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own_rows))

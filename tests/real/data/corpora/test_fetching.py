"""The published data of DevBench, and its card."""

import subprocess

from corpora.devbench.card import CARD
from corpora.fetching import digest, fetch


def test_the_published_data_has_the_digest_of_its_card(shared):
    for pattern, expected in CARD.digests.items():
        assert digest(shared / "devbench", pattern) == expected
    for model in ("gpt-4o", "Ministral-3B"):
        files = f"completions/*/*/*-{model}.jsonl"
        command = f"ls {files} | LC_ALL=C sort | xargs sha256sum | sha256sum"
        made = subprocess.run(command, shell=True, cwd=shared / "devbench", capture_output=True, text=True, check=True)
        assert CARD.answers[model] == made.stdout.split()[0]


def test_answers_of_nine_models_were_published_and_those_of_two_are_a_copy(shared, tmp_path):
    said = []
    fetch(CARD, tmp_path / "devbench", source=shared / "devbench", notify=said.append)
    assert len(CARD.answers) == len(set(CARD.answers.values())) == 9
    lacking = ", ".join(model for model in CARD.answers if model not in {"gpt-4o", "Ministral-3B"})
    assert said == [f"{shared / 'devbench'} lacks the published answers of {lacking}; all others are the benchmark's"]

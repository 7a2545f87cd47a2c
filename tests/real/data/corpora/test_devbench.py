"""DevBench as it was published."""

from collections import Counter
from pathlib import Path

import pytest

from corpora.corpus import corpus_of
from corpora.devbench.corpus import CATEGORIES, FOLDERS
from syntax.languages import language_of
from syntax.parse import has_error

LANGUAGES = tuple(FOLDERS)


def opened(folder):
    return corpus_of("devbench", Path(folder))


def tasks_of(folder, languages=("python",), categories=("low_context",), *, packages=False):
    return opened(folder).tasks(languages, categories, packages=packages)


@pytest.fixture(scope="module")
def published(shared):
    return opened(shared).tasks(LANGUAGES, CATEGORIES, packages=True)


def test_all_1800_instances_are_read(published):
    assert Counter((task.language, task.category) for task in published) == {
        (language, category): 50 for language in LANGUAGES for category in CATEGORIES
    }
    assert len({task.name for task in published}) == len({task.moment().id for task in published}) == 1800
    assert sum(not task.truth.strip() for task in published) == 11  # nothing is to be filled in


def test_a_finished_program_is_prefix_golden_completion_suffix_and_assertions_on_lines_of_their_own(shared):
    (task,) = [task for task in tasks_of(shared) if task.name == "python/low_context/1"]
    assert task.tests.program(task.finished) == (
        "import asyncio\nimport os\n\ndef read_file(file_path):\n    try:"
        "\n\n        with open(file_path, 'r') as file:\n            return file.read()\n"
        "    except FileNotFoundError:\n        return ''"
        "\n\n    finally:\n        if os.path.exists(file_path):\n            os.remove(file_path)\n\n"
        "# Test cases\ntry:\n    with open('test.txt', 'w') as f:\n        f.write('Hello, world!')\n"
        "    content = read_file('test.txt')\n    assert content == 'Hello, world!'\n"
        "except Exception as e:\n    assert False, f'Exception occurred: {e}'"
        "\n\nassert read_file('non_existent.txt') == '', 'Should return empty string if file does not exist'\n"
        "try:\n    with open('example.txt', 'w') as f:\n        f.write('Example content')\n"
        "    content = read_file('example.txt')\n"
        "    assert content == 'Example content', 'Content should match written content'\n"
        "except Exception as e:\n    assert False, f'Exception occurred: {e}'\n"
        "finally:\n    if os.path.exists('example.txt'):\n        os.remove('example.txt')\n"
    )


def test_every_finished_document_is_sound_when_its_parts_are_joined_by_new_lines(published):
    broken = [task.name for task in published if has_error(language_of(task.language), task.finished.text)]
    assert broken == []


def test_joined_without_new_lines_some_ground_truths_would_break_or_become_comments(published):
    """Why the parts are joined so in the languages that their own script concatenates in, too."""
    by_name = {task.name: task for task in published}
    java = by_name["java/pattern_matching/41"]
    assert has_error(language_of("java"), java.before[:-1] + java.truth + java.after[1:])
    swallowed = by_name["java/low_context/1"]
    assert swallowed.before.splitlines()[-1].strip() == "// Add more elements to the list"
    assert swallowed.truth == '\t\tlist.add("cherry");'


@pytest.mark.parametrize(("model", "failed"), [("gpt-4o", 0), ("Ministral-3B", 3)])
def test_published_answers_are_five_to_each_task_or_none_where_the_models_server_failed(
    shared, published, model, failed
):
    answers = opened(shared).published(model, published)
    assert answers.keys() == {task.name for task in published}
    assert Counter(map(len, answers.values())) == Counter({5: 1800 - failed} | ({0: failed} if failed else {}))

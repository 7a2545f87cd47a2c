"""Figures of evaluations."""

from collections import Counter
from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.audits.noticing import counts_of_tests
from corpora.corpus import corpus_of
from corpora.devbench.corpus import CATEGORIES, FOLDERS
from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.outcomes import TaskOutcome, passing, published_passing
from corpora.run.scores import summary
from replay.numbers.intervals import share
from replay.numbers.passing import pass_at_k
from replay.records import Ending, Record, Verdict
from server.settings import ProviderSettings, Settings
from tests.support.devbench_data import instance, write

MODEL = Settings(provider=ProviderSettings(name="fixed"))
ORACLE = Settings(provider=ProviderSettings(name="oracle"))


@pytest.fixture
def tasks(tmp_path):
    for language in ("python", "java"):
        for category in ("low_context", "api_usage"):
            rows = [instance(number, f"golden({number}, '{category}')", language=language) for number in range(3)]
            write(tmp_path, *rows, language=language, category=category)
    corpus = corpus_of("devbench", tmp_path)
    return corpus.tasks(["python", "java"], ["api_usage", "low_context"], packages=False)


def record(task, name, sample=0, **more):
    return Record(moment=task.moment(sample), ending=Ending("shown"), verdict=Verdict(name=name, **more))


def outcome(task, *names):
    return TaskOutcome(task, tuple((sample, Verdict(name=name)) for sample, name in enumerate(names)))


def test_a_failed_request_is_no_answer_and_an_empty_one_is(tasks):
    records = [
        Record(moment=tasks[0].moment(), ending=Ending("failed", "refused")),
        Record(moment=tasks[1].moment(), ending=Ending("empty")),
    ]
    found = summary(EvaluateOptions(corpus="devbench", data="", settings=MODEL), tasks, records)
    assert found["similarity"]["exact"]["n"] == 1
    assert found["similarity"]["exact"]["value"] == 0.0


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_the_share_of_choices_of_k_samples_with_one_that_passes(samples, data):
    k = data.draw(st.integers(1, len(samples)))
    expected = mean(any(chosen) for chosen in combinations(samples, k))
    assert pass_at_k(len(samples), sum(samples), k) == pytest.approx(expected)


def test_with_one_sample_the_interval_is_wilsons(tasks):
    outcomes = [outcome(task, "passed" if index % 3 else "failed") for index, task in enumerate(tasks)]
    assert passing(outcomes, 1) == share(8, 12)


def test_with_several_samples_the_interval_comes_from_the_tasks_and_is_the_same_each_time(tasks):
    outcomes = [
        outcome(task, "passed", "failed", "passed" if index % 2 else "failed") for index, task in enumerate(tasks)
    ]
    found = passing(outcomes, 1)
    assert found == passing(outcomes, 1)
    assert found["value"] == pytest.approx(0.5)
    half = 2.201 * (1 / 3 * 0.5) / 11**0.5  # of twelve means, 1/3 and 2/3: Student's t by their standard error
    assert found["low"] == pytest.approx(0.5 - half, abs=0.02)
    assert found["high"] == pytest.approx(0.5 + half, abs=0.02)
    assert found["n"] == 12


def test_samples_of_one_task_are_not_counted_as_tasks(tasks):
    assert passing([outcome(tasks[0], *["passed"] * 50)], 1)["n"] == 1


def test_a_single_task_between_has_no_interval(tasks):
    assert passing([outcome(tasks[0], "passed", "failed")], 1) == {
        **share(0, 0),
        "value": 0.5,
        "n": 1,
        "clusters": 1,
    }


def test_a_task_with_too_few_samples_is_left_out_of_a_larger_k(tasks):
    outcomes = [outcome(tasks[0], "passed", "passed"), outcome(tasks[1], "failed")]
    assert passing(outcomes, 1)["n"] == 2
    assert passing(outcomes, 2) == share(1, 1)


def test_untestable_tasks_and_failures_of_the_machine_do_not_count(tasks):
    outcomes = [outcome(tasks[0], "untestable"), outcome(tasks[1], "infrastructure"), outcome(tasks[2], "passed")]
    assert passing(outcomes, 1) == share(1, 1)
    assert passing(outcomes[:2], 1) == share(0, 0)


def test_the_summary_counts_by_language_and_category(tasks):
    names = {"python": "passed", "java": "compile"}
    records = [record(task, names[task.language]) for task in tasks]
    told = summary(EvaluateOptions(corpus="devbench", data="", settings=MODEL), tasks, records)
    assert [(cell["language"], cell["category"], cell["passed"]) for cell in told["cells"]] == [
        ("python", "api_usage", 3),
        ("python", "low_context", 3),
        ("java", "api_usage", 0),
        ("java", "low_context", 0),
    ]
    assert [(row["language"], row["testable"], row["passed"]) for row in told["languages"]] == [
        ("python", 6, 6),
        ("java", 6, 0),
    ]
    assert [row["category"] for row in told["categories"]] == ["api_usage", "low_context"]
    assert told["share"] == share(6, 12) | {"testable": share(12, 12)}
    assert told["cluster_by"] == "program"
    assert {failure["task"] for failure in told["failures"]} == {task.name for task in tasks if task.language == "java"}
    assert "self_contained" not in told


ALONE = {"u+": ("untestable", "passed"), "u-": ("untestable", "failed"), "u": ("untestable", None)}


def published(task, words, **more):
    """An outcome from words: `u+` and `u-` are untestable, and pass and fail by their tests alone; others are names of verdicts."""
    verdicts = [
        Verdict(name=ALONE[word][0], alone=ALONE[word][1]) if word in ALONE else Verdict(name=word) for word in words
    ]
    return TaskOutcome(task, tuple(enumerate(verdicts)), **more)


def as_the_script_counts(rows, k):
    """The mean over tasks of DevBench's script, by all choices of k answers: of rows of answers, each whether it passes."""
    scores = []
    for passes in rows:
        chosen = list(combinations(passes, k))
        scores.append(mean(any(some) for some in chosen) if chosen else float(any(passes)))
    return mean(scores)


def test_shares_over_all_tasks_count_what_passes_whatever_the_tests_are_worth(tasks):
    outcomes = [
        published(tasks[0], ["passed", "failed", "failed"]),
        published(tasks[1], ["u+", "u+", "u-"]),
        published(tasks[2], ["u-", "u-", "u-"]),
        published(tasks[3], ["u+"]),  # fewer answers than k
        published(tasks[4], [], error="Error: API request failed"),  # one answer, which does not pass
        published(tasks[5], ["infrastructure", "passed", "compile"]),
        published(tasks[6], ["infrastructure"]),  # nothing is known
        published(tasks[7], []),  # no answer at all
        published(tasks[8], ["failed"]),  # its other requests failed
    ]
    rows = [[1, 0, 0], [1, 1, 0], [0, 0, 0], [1], [0], [1, 0], [0]]
    for k in (1, 2, 3):
        found = published_passing(outcomes, k)
        assert found["value"] == pytest.approx(as_the_script_counts(rows, k))
        assert (found["n"], found["clusters"]) == (7, 7)
    assert passing(outcomes, 1)["value"] == pytest.approx(
        mean([1 / 3, 1 / 2, 0])
    )  # the untestable ones have no part in it
    assert passing(outcomes, 1)["n"] == 3


def test_a_task_is_in_one_column_whatever_its_samples_say(tasks):
    """A ground truth that timed out in an earlier part of a run, a machine that failed at the first sample."""
    python = [task for task in tasks if task.language == "python"]
    records = [
        record(python[0], "untestable", reason="flaky"),
        record(python[0], "passed", sample=1),
        record(python[1], "infrastructure"),
        record(python[1], "untestable", reason="undetected", sample=1),
    ]
    told = summary(EvaluateOptions(corpus="devbench", data="", samples=2, settings=MODEL), python[:2], records)
    counted = {"tasks": 2, "broken": 0, "unnoticed": 1, "empty": 0, "not_run": 0, "testable": 1}
    assert {key: told[key] for key in counted} == counted


def test_records_of_tasks_that_were_not_drawn_do_not_count(tasks):
    told = summary(
        EvaluateOptions(corpus="devbench", data="", settings=MODEL),
        tasks[:1],
        [record(tasks[0], "passed"), record(tasks[1], "failed")],
    )
    assert (told["moments"], told["verdicts"], told["endings"]) == (1, {"passed": 1}, {"shown": 1})


def test_the_interval_over_all_tasks_is_of_the_same_kind(tasks):
    """Of single answers Wilson's; of several Student's t by the standard error of the tasks' means."""
    single = [published(task, ["u+" if index % 3 else "failed"]) for index, task in enumerate(tasks)]
    assert published_passing(single, 1) == share(8, 12)
    several = [published(task, ["u+", "u-", "u+" if index % 2 else "u-"]) for index, task in enumerate(tasks)]
    found, half = published_passing(several, 1), 2.201 * (1 / 3 * 0.5) / 11**0.5
    assert (found["low"], found["high"]) == (pytest.approx(0.5 - half, abs=0.02), pytest.approx(0.5 + half, abs=0.02))


def test_the_summary_has_what_tests_notice_and_shares_over_all_tasks_where_they_are_wanted(tasks):
    python = [task for task in tasks if task.language == "python"]
    records = [
        record(python[0], "passed"),
        record(python[1], "untestable", reason="undetected", alone="passed"),
        record(python[2], "untestable", reason="broken-baseline", cause="network", alone="failed"),
        record(python[3], "untestable", reason="flaky", alone="passed"),
        record(python[4], "untestable", reason="empty", alone="passed"),
    ]
    options = EvaluateOptions(corpus="devbench", data="", published="ada", settings=MODEL)
    told = summary(options, python, records)
    counted = {"tasks": 6, "broken": 2, "unnoticed": 1, "empty": 1, "not_run": 1, "testable": 1}
    assert {key: told[key] for key in counted} == counted == counts_of_tests(told)
    assert told["share"]["value"] == 1.0
    assert told["as_published"] == {"share": share(4, 5), "pass_at_k": {"1": share(4, 5)}}
    by_cell = {row["category"]: (row["broken"], row["as_published"]["share"]) for row in told["cells"]}
    assert by_cell == {"api_usage": (1, share(2, 3)), "low_context": (1, share(2, 2))}
    for other in (
        EvaluateOptions(corpus="devbench", data="", settings=MODEL),
        EvaluateOptions(corpus="devbench", data="", published="ada", all_tasks=False, settings=MODEL),
        EvaluateOptions(corpus="devbench", data="", published="ada", ablate="repairs", settings=MODEL),
        EvaluateOptions(corpus="devbench", data="", published="ada", tests=False, settings=MODEL),
        EvaluateOptions(corpus="devbench", data="", all_tasks=True, settings=ORACLE),
    ):
        assert "as_published" not in summary(other, python, records)
    assert "as_published" in summary(
        EvaluateOptions(corpus="devbench", data="", all_tasks=True, settings=MODEL), python, records
    )


def test_a_run_without_shares_over_all_tasks_is_continued_as_before_there_were_any():
    assert "all_tasks" not in EvaluateOptions(corpus="devbench", data="", settings=MODEL).kept()
    assert EvaluateOptions(corpus="devbench", data="", published="ada", settings=MODEL).kept()["all_tasks"] is True


def test_the_summary_of_the_oracle_tells_what_its_failures_lack(tasks):
    lack = [record(task, "exception", cause="missing-library torch") for task in tasks[:2]]
    wrong = [record(tasks[2], "assertion", cause="wrong-golden assertion")]
    records = [*lack, *wrong, *(record(task, "passed") for task in tasks[3:])]
    told = summary(EvaluateOptions(corpus="devbench", data="", settings=ORACLE), tasks, records)
    assert told["share"] == share(9, 12) | {"testable": share(12, 12)}
    assert told["self_contained"] == share(9, 10)
    assert told["causes"] == {"missing-library torch": 2, "wrong-golden assertion": 1}


def test_the_summary_names_untestable_tasks_with_their_reasons_and_samples_without_an_answer(tasks):
    records = [
        record(tasks[0], "untestable", reason="broken-baseline", cause="network", message="no host"),
        record(tasks[1], "untestable", reason="undetected"),
        record(tasks[2], "passed", sample=1),
    ]
    told = summary(EvaluateOptions(corpus="devbench", data="", settings=MODEL, samples=2), tasks[:4], records)
    assert told["why_untestable"] == {"broken-baseline: network": 1, "undetected: filler": 1}
    assert (told["broken"], told["unnoticed"]) == (1, 1)
    assert [(one["task"], one["reason"], one["cause"]) for one in told["untested"]] == [
        (tasks[0].name, "broken-baseline", "network"),
        (tasks[1].name, "undetected: filler", ""),
    ]
    assert told["unanswered"] == [tasks[3].name]
    assert told["testable"] == 1


def test_a_limit_takes_evenly_of_all_cells_by_the_seed(tasks):
    taken = drawn(tasks, 4, seed=0)
    assert len({(task.language, task.category) for task in taken}) == 4
    assert drawn(tasks, 4, seed=0) == taken
    assert len({tuple(task.name for task in drawn(tasks, 4, seed)) for seed in range(9)}) > 1


@pytest.fixture(scope="module")
def all_cells(tmp_path_factory):
    """A corpus with three tasks for each language and category."""
    folder = tmp_path_factory.mktemp("cells")
    for language in FOLDERS:
        for category in CATEGORIES:
            rows = [instance(number, "x", language=FOLDERS[language]) for number in range(3)]
            write(folder, *rows, language=language, category=category)
    return corpus_of("devbench", folder)


@pytest.mark.parametrize("languages", range(1, 7))
@pytest.mark.parametrize("categories", range(1, 7))
def test_any_limit_is_spread_over_languages_categories_and_pairs_of_both(all_cells, languages, categories):
    corpus = all_cells
    tasks = corpus.tasks(corpus.languages[:languages], corpus.categories[:categories], packages=False)
    for limit in range(1, languages * categories + 3):
        taken = drawn(tasks, limit, seed=1)
        assert len(taken) == limit
        for number, group in (
            (languages, Counter(task.language for task in taken)),
            (categories, Counter(task.category for task in taken)),
            (languages * categories, Counter((task.language, task.category) for task in taken)),
        ):
            assert len(group) == min(limit, number)
            assert max(group.values()) - (min(group.values()) if len(group) == number else 0) <= 1


def test_a_larger_limit_keeps_what_a_smaller_one_took_and_the_order_of_the_corpus(tasks):
    seven = drawn(tasks, 7, seed=3)
    assert {task.name for task in drawn(tasks, 5, seed=3)} < {task.name for task in seven}
    assert seven == [task for task in tasks if task in seven]
    assert drawn(tasks, 100, seed=3) == drawn(tasks, None, seed=3) == list(tasks)

"""CodeAlign over made-up problems: a scripted model, whose every answer is known, is scored as by hand."""

import gzip
import json
import re

import msgspec
import pytest
from scipy import stats

from corpora.codealign.benchmark import AlignmentRun, StandaloneProblem, problems_in
from corpora.codealign.benchmark.benchmark_run import AlignmentOutcome
from corpora.codealign.benchmark.instruction_sampling import balanced_tasks
from corpora.codealign.benchmark.soundness import sound_problems
from corpora.codealign.benchmark.success_rates import alignment_figures, compared_runs, settings_test, types_test
from corpora.codealign.benchmark.task_prompts import program_in
from corpora.codealign.catalogue import instruction, instructions
from corpora.errors import DataError
from runners.errors import MachineFails
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from server.chat import FakeChat
from server.errors import ProviderError

RULES = [each for each in instructions() if each.by_rule]
ADD = {
    "task_id": "Made/0",
    "prompt": 'import math\n\n\ndef add(a, b):\n    """Add."""\n',
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}
TYPED = "def add(a: int, b: int) -> int:\n    return a + b\n"
BROKEN = "def add(a: int, b: int) -> int:\n    return a - b\n"
PLAIN = "def add(a, b):\n    return a + b\n"


def fenced(code):
    return f"Here it is:\n\n```python\n{code}```\n\nIt adds.\n"


def said_by_tests(program):
    """What the tests of `add` say: they run the program's text."""
    right = "a + b" in program.text
    return Result("passed" if right else "assertion", "", int(right), int(not right), "", 1.0)


def problem(name="Made/0"):
    return StandaloneProblem(name, "python", "Add two numbers.", PLAIN, "import math", "assert add(1, 2) == 3")


async def outcomes(reply, problems=None, ids=("add-type-hints",), **values):
    run = AlignmentRun(FakeChat(reply), FakePrograms(said_by_tests), **values)
    return await run.outcomes(problems or [problem()], [instruction(id_) for id_ in ids])


def test_human_eval_is_read_from_its_file_packed_or_not_and_from_its_repository(tmp_path):
    line = json.dumps(ADD).encode()
    (tmp_path / "plain.jsonl").write_bytes(line + b"\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/HumanEval.jsonl.gz").write_bytes(gzip.compress(line))
    for path in (tmp_path / "plain.jsonl", tmp_path, tmp_path / "data"):
        (found,) = problems_in(path)
        assert found.reference == ADD["prompt"] + ADD["canonical_solution"]
        scope = {}
        exec(
            found.program("def add(a, b):\n    return math.floor(a + b)\n").text, scope
        )  # the prompt's imports hold for answers too
        with pytest.raises(AssertionError):
            exec(found.program("def add(a, b):\n    return a - b\n").text, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"task_id": "a"}', ":1:"),
        (json.dumps(ADD | {"entry_point": "sub"}), "sub"),
        (None, "cannot be read"),
        ('{"name": "a", "language": "cobol", "request": "b"}', "cobol"),
        ('{"name": "a", "language": "java", "request": "b", "test": "c"}', "test"),
        ('{"name": "a", "language": "java", "request": "b"}\n' * 2, "twice"),
    ],
)
def test_what_is_not_human_eval_is_refused(tmp_path, text, said):
    if text is not None:
        (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(DataError, match=re.escape(said)):
        problems_in(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        (fenced(PLAIN), PLAIN),
        (PLAIN, PLAIN),
        ("```\nnot code at all\n```\n```python\nx = 1\n```", "x = 1\n"),
        ("~~~py\nx = 1\n~~~", "x = 1\n"),
        ("I cannot do that.", None),
        ("Sorry, no", None),
        ("not possible", None),
        ("```\nDone\n```", None),
        ("print", None),
        ("print(1)", "print(1)"),
        ("x = 1", "x = 1"),
        ("```python\ndef f(:\n```", None),
        ("Your version:\n```\ndef f(): return 1\n```\nNew:\n```\ndef f(): return 2\n```", "def f(): return 2\n"),
        ("```\ndef f(): return 1\n```\nTry it:\n```\nx = f()\n```", "def f(): return 1\n"),
        ("```\nx = 1\n```\nBetter:\n```\nx = 2\n```", "x = 2\n"),
        ("print it", None),
        ("Sorry (no)", None),
        ("Note: done", None),
        ("", None),
    ],
)
def test_the_program_of_an_answer_is_read_and_never_guessed(answer, program):
    assert program_in(answer, "python") == program


@pytest.mark.parametrize(
    ("language", "old", "new", "example"),
    [
        ("javascript", "const f = () => 1;", "const f = () => 2;", "console.log([f()].map(one => one + 1));"),
        ("javascript", "function f() { return 1; }", "class A { f() {} }", "const x = f();"),
        ("java", "class A { int f() { return 1; } }", "class A { int f() { return 2; } }", "int x = new A().f();"),
    ],
)
def test_of_several_programs_the_last_that_defines_something_is_taken(language, old, new, example):
    answer = "".join(f"```\n{block}\n```\n" for block in (old, new, example))
    assert program_in(answer, language) == f"{new}\n"


async def test_problems_of_ones_own_are_in_any_language_of_the_rules(tmp_path):
    one = {"name": "add", "language": "javascript", "request": "Add.", "reference": "var add = (a, b) => a + b;\n"}
    one |= {"tests": "if (add(1, 2) !== 3) { throw new Error(); }"}
    (tmp_path / "own.jsonl").write_text(json.dumps(one) + "\n")
    (problem,) = problems_in(tmp_path / "own.jsonl")
    programs = FakePrograms(said_by_tests)
    run = AlignmentRun(FakeChat(lambda _: "const add = (a, b) => a + b;\n"), programs)
    found = await run.outcomes([problem], [instruction("use-let-and-const"), instruction("add-type-hints")])
    assert {(each.instruction, each.following, each.tests) for each in found} == {
        ("use-let-and-const", "followed", "passed")
    }
    assert {(program.language, "throw new Error" in program.text) for program in programs.ran} == {("javascript", True)}


def test_tasks_are_balanced_over_the_types_and_apply_to_the_first_solution():
    drawn = list(balanced_tasks(problem(), PLAIN, RULES, each=2, seed=1))
    groups = [task.instruction.group for task in drawn]
    assert groups == ["cosmetic"] * 2 + ["structural"] * 2 + ["semantic"] * groups.count("semantic")
    assert 1 <= groups.count("semantic") <= 2
    assert all(task.instruction.is_applicable(PLAIN, "python") and task.ask in task.instruction.asks for task in drawn)
    assert [task.ask for task in balanced_tasks(problem(), PLAIN, RULES, each=2, seed=1)] == [
        task.ask for task in drawn
    ]
    seeds = [
        tuple(task.instruction.id for task in balanced_tasks(problem(), PLAIN, RULES, each=2, seed=seed))
        for seed in range(9)
    ]
    assert len(set(seeds)) > 1


async def test_an_answer_that_follows_and_breaks_the_program_is_counted_apart():
    def reply(said):
        return fenced(TYPED if "Follow this instruction" not in said else BROKEN)

    predefined, follow_up = await outcomes(reply)
    assert (predefined.setting, predefined.following, predefined.tests) == ("predefined", "followed", "assertion")
    assert (follow_up.setting, follow_up.following, follow_up.tests) == ("follow-up", "followed", "passed")
    figures = alignment_figures([predefined, follow_up])
    assert figures["settings"]["predefined"]["success"]["value"] == 1
    assert figures["settings"]["predefined"]["follows_and_passes"]["value"] == 0
    assert figures["settings"]["predefined"]["follows_and_fails"] == 1
    assert figures["settings"]["follow-up"]["follows_and_passes"]["value"] == 1
    assert [one["setting"] for one in figures["follow_and_break"]] == ["predefined"]


async def test_an_answer_that_changes_nothing_or_holds_no_program_does_not_follow():
    same, talk = await outcomes(lambda said: fenced(PLAIN) if "Follow this instruction" in said else "No.")
    assert (same.following, same.tests) == ("not followed", "passed")
    assert (talk.following, talk.tests, talk.program) == ("no program", "", None)
    rates = alignment_figures([same, talk])["settings"]
    assert [rates[name]["success"]["value"] for name in ("predefined", "follow-up")] == [0, 0]
    assert rates["follow-up"]["no_program"] == 1


async def test_the_first_solution_stands_in_the_chat_of_a_follow_up_only():
    chat = FakeChat(lambda _: fenced(TYPED))
    await AlignmentRun(chat, FakePrograms(said_by_tests)).outcomes([problem()], [instruction("add-type-hints")])
    assert [[message.role for message in messages] for messages in chat.asked] == [
        ["user"],
        ["user", "assistant", "user"],
    ]
    assert PLAIN.strip() in chat.asked[1][1].content


async def test_the_model_can_write_the_first_solution_and_without_one_there_is_no_task():
    found = await outcomes(
        lambda said: fenced(TYPED if "type" in said.lower() else "def add(x, y):\n    return x + y\n"), asks_first=True
    )
    assert {one.initial for one in found} == {"def add(x, y):\n    return x + y\n"}
    assert await outcomes(lambda _: "No.", asks_first=True) == []


async def test_a_problem_without_a_first_solution_is_left_out_and_said_to_be():
    def reply(said):
        if "broken" in said:
            raise ProviderError("503")
        return "No."

    run = AlignmentRun(FakeChat(reply), FakePrograms(said_by_tests), asks_first=True)
    problems = [problem("talk"), StandaloneProblem("failed", "python", "A broken one.", PLAIN)]
    assert await run.outcomes(problems, RULES) == []
    assert run.left_out == {
        "talk": "the model's first answer holds no program",
        "failed": "the model gave no first solution: 503",
    }
    assert run.unanswered == {"failed"}


@pytest.mark.parametrize("error", [MachineFails("no room"), OSError(28, "No space left on device")])
async def test_a_failure_of_the_machine_is_told_as_one(error):
    def fail(_program):
        raise error

    run = AlignmentRun(FakeChat(lambda _: fenced(TYPED)), FakePrograms(fail))
    with pytest.raises(MachineFails, match=r"no room|No space left"):
        await run.outcomes([problem()], [instruction("add-type-hints")])
    with pytest.raises(MachineFails, match=r"no room|No space left"):
        await sound_problems([problem()], FakePrograms(fail), with_reference=True)


async def test_an_answer_without_a_program_passes_no_tests_where_there_are_none():
    for tests, n in (("assert add(1, 2) == 3", 1), ("", 0)):
        asked = StandaloneProblem("a", "python", "Add.", PLAIN, "", tests)
        found = await outcomes(lambda _: "No.", [asked], settings=("predefined",))
        rates = alignment_figures(found)["settings"]["predefined"]
        assert (rates["success"]["n"], rates["passes"]["n"], rates["follows_and_passes"]["n"]) == (1, n, n)


async def test_a_provider_that_fails_is_nobodys_fault_and_counts_nowhere():
    def reply(said):
        if "Follow this instruction" in said:
            raise ProviderError("503")
        return fenced(TYPED)

    failed, _ = await outcomes(reply)
    assert (failed.following, failed.why_unverified) == ("not verified", "the model gave no answer: 503")
    assert alignment_figures([failed])["without_verdict"] == {"the model gave no answer: 503": 1}
    rates = alignment_figures([failed])["settings"]["predefined"]
    assert (rates["n"], rates["unverified"], rates["success"]["value"]) == (1, 1, None)


async def test_a_judge_verifies_what_no_rule_can_and_without_one_it_is_not_drawn():
    assert await outcomes(lambda _: fenced(TYPED), ids=("use-greedy-algorithm",)) == []
    for said, following in (("1", "followed"), ("0", "not followed"), ("perhaps", "unparsable judgement")):
        judge = FakeChat(lambda _, said=said: said)
        found = await outcomes(lambda _: fenced(TYPED), ids=("use-greedy-algorithm",), judge=judge)
        assert {one.following for one in found} == {following}
        assert {one.by for one in found} == {"judge"}
        assert {one.why_unverified for one in found} == {
            "the judge's answer is no score" if following == "unparsable judgement" else ""
        }


async def test_what_failed_at_the_judge_is_kept():
    def fail(_):
        raise ProviderError("503")

    found = await outcomes(lambda _: fenced(TYPED), ids=("use-greedy-algorithm",), judge=FakeChat(fail))
    assert {(one.following, one.why_unverified) for one in found} == {("not verified", "the judge gave no answer: 503")}
    assert {one.tests for one in found} == {"passed"}


def outcome(number, setting, group, follows, tests="passed"):
    common = {
        "language": "python",
        "instruction": f"{group}-one",
        "type": group,
        "by": "rule",
        "ask": "a",
        "initial": "b",
    }
    following = "followed" if follows else "not followed"
    return AlignmentOutcome(
        problem=f"p{number}", setting=setting, group=group, following=following, tests=tests, **common
    )


TABLE = [(1, 0, 1), (1, 1, 1), (0, 0, 1), (0, 1, 1), (0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 0, 1)]
"""Whether each of eight problems is followed in cosmetic, structural, semantic; predefined. Follow-up follows everywhere but in p0."""


@pytest.fixture
def figures():
    groups = ("cosmetic", "structural", "semantic")
    rows = [
        outcome(n, "predefined", group, bool(one))
        for n, row in enumerate(TABLE)
        for group, one in zip(groups, row, strict=True)
    ]
    rows += [outcome(n, "follow-up", group, n > 0) for n in range(8) for group in groups]
    return alignment_figures(rows)


def test_tests_of_settings_and_types_are_scipys_on_the_same_table(figures):
    differences = [(0 if n == 0 else 1) - sum(row) / 3 for n, row in enumerate(TABLE)]
    wilcoxon = stats.wilcoxon(differences)
    found = figures["settings_test"]
    assert (found["statistic"], found["p"]) == pytest.approx((wilcoxon.statistic, wilcoxon.pvalue))
    assert (found["n"], found["differ"]) == (8, 7)
    friedman = stats.friedmanchisquare(*zip(*TABLE, strict=True))
    types = figures["types_test"]["predefined"]
    assert (types["chi2"], types["p"]) == pytest.approx((friedman.statistic, friedman.pvalue))
    assert types["kendalls_w"] == pytest.approx(friedman.statistic / (8 * 2))
    assert figures["types_test"]["follow-up"]["p"] is None  # all types are tied at each problem


def test_settings_are_compared_over_tasks_that_are_verified_in_both():
    rows = [outcome(1, setting, "cosmetic", setting == "follow-up") for setting in ("predefined", "follow-up")]
    rows += [outcome(1, "predefined", "structural", True)]  # its follow-up failed at the provider
    assert alignment_figures(rows)["settings_test"]["mean_difference"] == 1


def test_what_a_judge_verified_stands_apart():
    judged = msgspec.structs.replace(outcome(2, "predefined", "semantic", True), by="judge")
    found = alignment_figures([outcome(1, "predefined", "semantic", False), judged])["settings"]["predefined"]
    assert {name: own["success"]["value"] for name, own in found["by"].items()} == {"rule": 0, "judge": 1}


def test_kendalls_w_of_the_paper_is_that_of_ten_models_and_three_types():
    for chi2, w in ((12.20, 0.61), (6.20, 0.31), (12.60, 0.63), (9.80, 0.49)):
        assert round(chi2 / (10 * (3 - 1)), 2) == w


def test_kendalls_w_is_one_where_all_blocks_order_the_types_alike():
    assert types_test([(0.1, 0.5, 0.9), (0.2, 0.3, 0.4), (0.0, 0.7, 0.8)])["kendalls_w"] == pytest.approx(1)
    assert settings_test([(0.5, 0.5), (0.1, 0.1)])["p"] is None


def test_rates_are_clustered_by_problem_and_broken_down(figures):
    predefined = figures["settings"]["predefined"]
    assert predefined["success"]["value"] == pytest.approx(sum(map(sum, TABLE)) / 24)
    assert (predefined["success"]["n"], predefined["success"]["clusters"]) == (24, 8)
    assert predefined["groups"]["semantic"]["success"]["value"] == 6 / 8
    interval = stats.binomtest(6, 8).proportion_ci(method="wilson")
    assert predefined["groups"]["semantic"]["success"]["low"] == pytest.approx(interval.low)


def test_several_runs_are_the_blocks_of_the_papers_tests(figures):
    def run(predefined, follow_up):
        settings = {"predefined": predefined, "follow-up": follow_up}
        return {
            "settings": {
                name: {
                    "success": {"value": sum(own) / 3},
                    "groups": {
                        group: {"success": {"value": value}}
                        for group, value in zip(("cosmetic", "structural", "semantic"), own, strict=True)
                    },
                }
                for name, own in settings.items()
            }
        }

    rates = [
        ((0.4, 0.5, 0.6), (0.5, 0.9, 0.7)),
        ((0.3, 0.8, 0.2), (0.6, 0.8, 0.9)),
        ((0.1, 0.6, 0.4), (0.7, 0.7, 0.8)),
        ((0.2, 0.4, 0.3), (0.4, 0.6, 0.5)),
    ]
    found = compared_runs([run(*own) for own in rates])
    expected = stats.wilcoxon([sum(second) / 3 - sum(first) / 3 for first, second in rates])
    assert found["settings_test"]["p"] == pytest.approx(expected.pvalue)
    friedman = stats.friedmanchisquare(*zip(*(first for first, _ in rates), strict=True))
    assert found["types_test"]["predefined"]["p"] == pytest.approx(friedman.pvalue)

"""A package that is put on the path, and not into ghosttape: its corpus, provider and repair are used, and a broken one stops nothing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replay.tapes.tape import write
from runners.doctor import HealthCheck
from syntax.errors import ExtensionBroken
from tests.support.preloaded import preloaded_script
from tests.support.tapes import Typist
from tui.commands import checkup

ENTRY_POINTS = """
[ghosttape.corpora]
shop = shop_bench:CARD
[ghosttape.providers]
shouting = shop_bench:make_provider
broken = no_such_module:make
twice = shop_bench:make_provider
[ghosttape.repairs]
upper = shop_bench:upper_total
broken = shop_bench:missing
[ghosttape.policies]
calm = shop_bench:CALM
[ghosttape.importers]
notes = shop_bench:NOTES
[ghosttape.rules]
last-line = shop_bench:LAST_LINE
[ghosttape.sandboxes]
hall = shop_bench:Hall
"""
TWIN = """
[ghosttape.providers]
twice = shop_bench:make_provider
[ghosttape.corpora]
devbench = shop_bench:CARD
"""
BENCHMARKS = ("devbench", "simcopilot", "codev", "efcb", "codealign")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    packages = tmp_path_factory.mktemp("packages")
    info = packages / "shop_bench-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-bench\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    twin = packages / "twin-2.0.dist-info"
    twin.mkdir()
    (twin / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 2.0\n")
    (twin / "entry_points.txt").write_text(TWIN)
    shutil.copy(Path(__file__).with_name("shop_bench.py"), packages)
    return packages


@pytest.fixture
def data(tmp_path):
    """The task of the corpus `shop`, in a folder `data` beside what runs."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "sum.py").write_text("def add(a, b):\n    # GAP\n    return a + b\n# TESTS\nassert add(1, 2) == 3\n")


@pytest.fixture
def ghosttape(packages, tmp_path):
    """A function that runs ghosttape where the packages are."""
    script = preloaded_script(str(packages))
    return lambda *words: _ran([script, *words], tmp_path, {**os.environ, "GHOSTTAPE_SCRIPT": script})


@pytest.fixture
def printed(packages, tmp_path):
    """A function that runs a script where the packages are, and returns what it prints."""

    def run(script):
        ran = _ran([sys.executable, "-c", script], tmp_path, {**os.environ, "PYTHONPATH": str(packages)})
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


@pytest.fixture
def typed(tmp_path):
    """A folder with a tape of a name that was typed in one go, and of a second after a pause of 600 ms."""
    folder = tmp_path / "typed"
    folder.mkdir()
    typist = Typist(text="total = 1\n").type("x = to\n")
    typist.t += 600
    write(typist.type("y = to").tape(), folder / "small.tape.jsonl")
    return folder


def _ran(command, folder, env):
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("data")
def test_a_corpus_of_another_package_is_evaluated_by_the_console_script(packages, tmp_path, need):
    need("bwrap")
    env = {**os.environ, "PYTHONPATH": str(packages)}
    env.pop("GHOSTTAPE_SCRIPT", None)  # servers that were started before the package was there
    words = ("evaluate", "shop", "--data", "data", "--provider", "oracle", "--json")
    ran = _ran([Path(sys.executable).with_name("ghosttape"), *words], tmp_path, env)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["corpus"], told["tasks"], told["passed"]) == ("shop", 1, 1)


def test_a_provider_of_another_package_is_asked_beside_a_broken_one(ghosttape, typed):
    ran = ghosttape("replay", typed, "--provider", "shouting", "--text", "pass", "--no-tests", "--json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["endings"] == {"rejected": told["moments"]}


def test_a_broken_provider_is_named_with_its_package(ghosttape):
    ran = ghosttape("replay", "demo", "--provider", "broken", "--no-tests")
    assert ran.returncode != 0
    assert "'broken' of the entry points ghosttape.providers is broken" in ran.stderr
    assert "shop-bench 1.0" in ran.stderr


def test_a_repair_of_another_package_runs_only_if_it_is_named(ghosttape, tmp_path):
    line = {"before": "x = ", "after": "\n", "completion": "total", "language": "python"}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line) + "\n")
    assert "TOTAL" not in ghosttape("repair", "lines.jsonl").stdout
    named = ghosttape("repair", "lines.jsonl", "--steps", "prose,upper")
    assert "TOTAL" in named.stdout, named.stderr


def test_a_broken_repair_is_named_and_the_others_work(ghosttape, tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"before": "x = ", "completion": "1", "language": "python"}\n')
    ran = ghosttape("repair", "lines.jsonl", "--steps", "broken")
    assert ran.returncode == 2
    assert (
        "'broken' of the entry points ghosttape.repairs is broken: 'shop_bench:missing' of shop-bench 1.0" in ran.stderr
    )


def test_a_name_of_two_packages_is_refused_with_both_and_one_of_ours_stays_ours(ghosttape, printed):
    ran = ghosttape("replay", "demo", "--provider", "twice", "--no-tests")
    assert ran.returncode == 3
    said = " ".join(ran.stderr.split())
    assert "'twice' of the entry points ghosttape.providers is registered by" in said
    assert "shop-bench 1.0" in said
    assert "twin 2.0" in said
    assert printed("from corpora.registry import card_of; print(card_of('devbench').tasks)") == "1800\n"


async def test_doctor_shows_what_cannot_be_loaded(monkeypatch):
    async def sandboxes(show):
        for name in checkup._SANDBOXES:
            show(HealthCheck(name, ok=True, detail="tried"))

    monkeypatch.setattr(checkup.doctor, "check", sandboxes)
    monkeypatch.setattr(checkup, "broken_extensions", lambda: [ExtensionBroken("'x' of twin 2.0 is broken")])
    shown = await checkup.checkup(lambda _: None)
    found = [check for check in shown if check["name"] == "extension"]
    assert [(check["ok"], check["detail"], check["needed"]) for check in found] == [
        (False, "'x' of twin 2.0 is broken", False)
    ]


def test_what_cannot_be_loaded_is_named(printed):
    broken = printed(
        "from syntax.entry_points import broken_extensions; print(*broken_extensions(), sep='\\n')"
    ).splitlines()
    assert len(broken) == 3, broken
    assert any("no_such_module" in one for one in broken)
    assert any("shop_bench:missing" in one for one in broken)
    assert any("'twice'" in one for one in broken)


def test_a_policy_of_another_package_decides_when_to_ask(ghosttape, typed):
    words = ("replay", typed, "--provider", "fixed", "--no-tests", "--json", "--policy")
    calm, hasty = (json.loads(ghosttape(*words, name).stdout)["endings"] for name in ("calm", "calm:debounce=500"))
    assert (calm["debounced"], hasty["debounced"]) == (12, 11), (calm, hasty)


def test_an_importer_of_another_package_reads_its_files(ghosttape, tmp_path):
    (tmp_path / "first.notes").write_text("notes\nx = 1\n")
    ran = ghosttape("import", "first.notes", "--out", "tapes")
    assert ran.returncode == 0, ran.stderr
    (tape,) = (tmp_path / "tapes").iterdir()
    assert "x = 1" in tape.read_text()


@pytest.mark.usefixtures("data")
def test_a_corpus_of_another_package_has_a_table_of_its_own(ghosttape):
    ran = ghosttape("evaluate", "shop", "--data", "data", "--provider", "oracle", "--sandbox", "none")
    assert ran.returncode == 0, ran.stderr
    assert "what the shop has" in ran.stdout
    assert "shelves" in ran.stdout


@pytest.mark.usefixtures("data")
def test_a_sandbox_of_another_package_runs_tests_only_if_it_is_named(ghosttape, tmp_path):
    words = ("evaluate", "shop", "--data", "data", "--provider", "oracle", "--json")
    ran = ghosttape(*words, "--sandbox", "hall")
    assert json.loads(ran.stdout)["passed"] == 1, ran.stderr
    assert (tmp_path / "hall.log").read_text()
    unknown = ghosttape(*words, "--sandbox", "hal")
    assert unknown.returncode == 2
    assert "did you mean 'hall'" in unknown.stderr


def test_rules_of_another_package_read_answers(ghosttape, tmp_path):
    line = {"before": "x = ", "after": "\n", "completion": "I would say\n1", "language": "python"}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line) + "\n")
    ran = ghosttape("repair", "lines.jsonl", "--paper-rules", "last-line")
    assert json.loads(ran.stdout)["repaired"] == "1", ran.stderr


def test_a_replay_imports_no_benchmark(tmp_path):
    script = (
        "import sys\nfrom tui.start import main\nsys.argv = ['ghosttape', 'replay', 'demo', '--provider', 'fixed', '--no-tests', '--json']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print(sorted(m for m in sys.modules if m.startswith({tuple('corpora.' + name for name in BENCHMARKS)!r})), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout, ran.stderr
    assert ran.stderr.splitlines()[-1] == "[]"

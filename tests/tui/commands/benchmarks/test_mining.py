"""`ghosttape corpora mine` on small repositories in the sandbox: what is kept is a benchmark, and what cannot be mined is refused."""

import json
import os

import pytest

GIT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
GIT |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
CART = '''"""A cart."""


def total(rows, least):
    """Add up the rows that are large enough."""
    found = 0
    for size, price in rows:
        if size * price >= least:
            found += size * price
    return round(found, 2)


def untested(rows):
    return sorted(row for row in rows if row > 1)


def always(rows):
    if len(rows) < 1_000_000:
        return max(rows)
    return None


class Cart:
    def __init__(self, rows):
        self._rows = rows

    @property
    def rows(self):
        return self._rows
'''
TESTS = """from cart import Cart, always, total


def test_total():
    assert total([(2, 3.0), (1, 1.0)], 2) == 6.0


def test_always():
    assert always([1, 3]) == 3


def test_cart():
    assert Cart([1]).rows == [1]
"""
FILES = {
    "cart.py": CART,
    "test_cart.py": TESTS,
    "conftest.py": "",
    "LICENSE": "MIT License\n",
    "_vendor/copied.py": CART,
}
KEPT = {
    "infilling/cart.py/6-10/function-body",
    "completion/cart.py/6-10/function-body",
    "completion/cart.py/7-10/rest-of-function",
    "infilling/cart.py/8-9/loop-body",
    "completion/cart.py/8-9/loop-body",
    "infilling/cart.py/8-8/if-condition",
    "infilling/cart.py/9-9/if-body",
    "completion/cart.py/9-9/if-body",
    "infilling/cart.py/18-20/function-body",
    "completion/cart.py/18-20/function-body",
    "infilling/cart.py/19-19/if-body",
    "completion/cart.py/19-19/if-body",
}


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def shop(tmp_path):
    return write(tmp_path / "shop", FILES)


def tasks_in(file):
    return {json.loads(line)["name"] for line in file.read_text().splitlines()[1:]}


def test_what_is_mined_is_a_benchmark_that_the_oracle_passes_and_nothing_does_not(here, shop, tmp_path):
    done = here("corpora", "mine", shop, "-o", "shop.jsonl", "--json")
    found, file = done.json, tmp_path / "shop.jsonl"
    assert tasks_in(file) == KEPT
    assert found["stages"] == {
        "found": 19,
        "trivial": 4,
        "long": 0,
        "duplicate": 0,
        "not-drawn": 0,
        "unbuilt": 0,
        "unnoticed": 2,
        "constant": 1,  # `len(rows) < 1_000_000` may as well be True
        "untested": 0,
        "kept": 12,
    }
    assert found["skipped"] == {"tests": 2, "generated or vendored": 1}
    head = json.loads(file.read_text().splitlines()[0])
    assert (head["name"], head["licence"], head["repository"]) == ("shop", "MIT License (LICENSE)", str(shop))
    oracle = here("evaluate", file, "--provider", "oracle", "--json").json
    assert (oracle["tasks"], oracle["passed"], oracle["cluster_by"]) == (12, 12, "function")
    nothing = here("evaluate", file, "--provider", "fixed", "--json").json
    assert (nothing["testable"], nothing["passed"]) == (12, 0)
    other = "found = sum(size * price for size, price in rows if size * price >= least)\n    return round(found, 2)"
    words = ["--categories", "infilling", "--provider", "fixed", "--text", other, "--repairs", "none", "--json"]
    given = here("evaluate", file, *words).json
    assert given["passed"] == 3  # in the body of the function, and as well in that of its loop and of its branch
    assert {row["task"].removeprefix("infilling/cart.py/") for row in given["failures"]} == {
        "8-8/if-condition",
        "18-20/function-body",
        "19-19/if-body",
    }
    (shop / "cart.py").write_text(CART + "\n")
    refused = here("evaluate", file, "--provider", "oracle", status=2)
    assert "has changed since it was mined (cart.py): mine it again" in refused.err
    assert (
        "exists already, and is not of this mining"
        in here("corpora", "mine", shop, "-o", file, "--seed", 4, status=2).err
    )


def test_a_folder_that_holds_its_own_corpus_and_runs_stays_what_it_was(here, shop, tmp_path):
    words = ["corpora", "mine", "shop", "-o", "shop/shop.jsonl", "--limit", 2, "--json"]
    first = here(*words).json
    asked = ["evaluate", "shop/shop.jsonl", "--provider", "oracle", "--out", "shop/run", "--json"]
    assert here(*asked).json["passed"] == first["stages"]["kept"] > 0
    (shop / "notes.txt").write_text("a new file\n")
    assert here(*asked[:4], "--json").json["passed"] == first["stages"]["kept"]
    (shop / "notes.txt").unlink()
    assert here(*words).json == first
    assert len(list((tmp_path / ".ghosttape/mining").iterdir())) == 1


def test_a_set_up_that_failed_is_tried_again_with_what_it_lacked(here, shop, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "x")
    words = ["corpora", "mine", shop, "-o", "shop.jsonl", "--limit", 1, "--setup", 'test -n "$SHOP_TOKEN"']
    assert "the project's setup" in here(*words, status=2).err
    assert here(*words, "--setup-env", "SHOP_TOKEN", "--json").json["stages"]["untested"] == 0


@pytest.mark.parametrize(
    "case",
    [
        ({"test_cart.py": None}, [], "no tests are found in it"),
        (
            {"test_cart.py": TESTS.replace("== 6.0", "== 7.0")},
            [],
            "the repository's own tests do not pass without any change (broken-baseline",
        ),
        ({}, ["--name", "../shop"], "without a slash"),
        ({}, ["--kinds", "bodies"], "no kind of gap is called 'bodies'"),
        ({}, ["--languages", "pyton"], "no language is called 'pyton' (did you mean 'python'?)"),
        ({}, ["--languages", "go"], "there is no gap to try (0 files searched): see --languages"),
        ({}, ["--path", "nope/"], "there is no gap to try (0 files searched): see --path and --exclude"),
        ({}, ["--setup", "false"], "the project's setup 'false' ended with"),
    ],
)
def test_what_cannot_be_mined_is_refused_with_what_to_do(here, shop, case):
    change, words, said = case
    for path, text in change.items():
        (shop / path).write_text(text) if text else (shop / path).unlink()
    done = here("corpora", "mine", shop, "-o", "shop.jsonl", *words, status=2)
    assert said in " ".join(done.err.split())
    assert not (shop.parent / "shop.jsonl").exists()


def test_a_file_that_is_no_corpus_is_refused_and_flags_of_repositories_are_for_mined_ones(here, tmp_path, shared):
    (tmp_path / "notes.jsonl").write_text("{}\n")
    assert "notes.jsonl:1: is no mined corpus" in here("evaluate", "notes.jsonl", status=2).err
    assert "there is no such file" in here("corpora", "audit", "gone.jsonl", status=2).err
    assert "has no other data" in here("evaluate", "notes.jsonl", "--data", ".", status=2).err
    data = ["devbench", "--data", shared / "devbench"]
    assert "are for the repository of a mined corpus" in here("evaluate", *data, "--project", ".", status=2).err

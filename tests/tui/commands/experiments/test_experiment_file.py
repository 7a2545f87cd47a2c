"""The file of an experiment: what it may say, and where a mistake stands."""

import pytest

from corpora.experiments.cells import counted_as
from replay.run.store import Store
from tui.commands.experiments.experiment_cells import ExperimentCells
from tui.commands.experiments.experiment_file import line_of, read
from tui.errors import ConfigurationError


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Make the cells of a file with a text, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def make(text):
        path = tmp_path / "try.toml"
        path.write_text(text)
        return ExperimentCells.of(read(path))

    return make


def refused(cells, text):
    with pytest.raises(ConfigurationError) as error:
        cells(text)
    return str(error.value)


SMALL = 'tapes = ["demo"]\n[matrix]\nproviders = ["ngram"]\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('tapes = ["demo"]\npolicy = 3\n', 2, "unknown key `policy` (did you mean 'policies'?)"),
        ('tapes = ["demo"]\n\n[matrix]\nprovider = ["ngram"]\n', 4, "[matrix]: unknown key `provider` (did you mean 'providers'?)"),
        (SMALL + "[options]\nsede = 4\n", 5, "[options]: unknown key 'sede' (did you mean 'seed'?)"),
        (SMALL + "[options]\nno-test = true\n", 5, "did you mean 'no-tests'"),
        (SMALL + '[options]\nseed = "x"\n', 5, "seed: Expected `int`, got `str`"),
        (SMALL + "samples = [1, -1]\n[options]\nseed = 1\n", 4, "[matrix]: samples is -1: it must be at least 1"),
        (SMALL + '[options]\nlimit = 3\n[cells.a]\nprovider = "ngram"\nover = "tapes"\nsamples = 0\n', 9, "[cells.a]: samples is 0"),
        (SMALL + "[options]\nconcurrency = 2\n[providers.ngram]\nconcurrency = 0\n", 7, "[providers.ngram]: concurrency is 0"),
        (SMALL + "[options]\nlimit = -1\n", 5, "limit is -1: it must be at least 1"),
        (SMALL + "[options]\nlimit = 0\n", 5, "limit is 0: it must be at least 1"),
        (SMALL + "[options]\nconcurrency = 999\n", 5, "concurrency is 999: it must be at most 256"),
        (SMALL + "[options]\nout = 'x'\n", 5, "unknown key 'out'"),
        (SMALL + '[options]\nprovider = "gguf"\n', 5, "[matrix] names values for provider already"),
        ('tapes = ["demo"]\n[matrix]\npolicies = ["blokcs"]\n', 3, "did you mean 'blocks'"),
        ('tapes = ["demo"]\n[matrix]\nlatencies = ["fixd:3"]\n', 3, "did you mean 'fixed'"),
        ('tapes = ["demo"]\n[matrix]\nusers = ["exat"]\n', 3, "did you mean 'exact'"),
        ('tapes = ["demo"]\n[matrix]\nproviders = ["ngarm"]\n', 3, "no provider is called 'ngarm' (did you mean 'ngram'?)"),
        ('tapes = ["demo"]\n[matrix]\nprompts = ["short"]\n', 3, "it needs a table [prompts.short]"),
        (SMALL + '[providers.big]\nmodel = "x"\n', 4, "names 'big', so this table says nothing"),
        (SMALL + '[providers.ngram]\nmodl = "x"\n', 5, "did you mean 'model'"),
        (SMALL + "[cells.one]\npolicys = 'blocks'\n", 5, "did you mean 'policy'"),
        (SMALL + "[[leave-out]]\nrepair = 'all'\n", 5, "did you mean 'repairs'"),
        (SMALL + "[corpus.x]\nlimit = 3\n", 4, "the list corpora does not name 'x'"),
        ("[matrix]\nproviders = ['ngram']\n", 1, "an experiment needs tapes or corpora"),
        ("tapes = [\n", 1, "Invalid value"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_file_line_and_a_near_name(cells, text, line, words):
    said = refused(cells, text)
    assert words in said
    assert "try.toml" in said
    if "Invalid" not in words:  # the parser of TOML says the line in its own words
        assert f"try.toml:{line}: " in said


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"none\.toml: No such file"):
        read(tmp_path / "none.toml")


def test_a_cell_has_the_options_of_the_command_with_the_same_flags(cells):
    made = cells(
        'tapes = ["demo"]\n[matrix]\nproviders = ["small"]\nprompts = ["short"]\nrepairs = ["indent,brackets"]\n'
        '[options]\nno-tests = true\nlimit = 4\npath = ["ledger/"]\n'
        '[providers.small]\nprovider = "openai"\nbase-url = "http://127.0.0.1:9/v1"\nmodel = "m"\nsettings = { max_tokens = 9 }\n'
        '[prompts.short]\nbefore = 100\ntemplate = "qwen"\n'
    )
    (cell,) = made.cells
    options = cell.options
    provider = options.settings.provider
    assert (provider.name, provider.model, provider.max_tokens, provider.template) == ("openai", "m", 9, "qwen")
    assert options.settings.repairs == ("indent", "brackets")
    assert options.settings.context.before == 100
    assert (options.tests, options.limit, options.paths) == (False, 4, ("ledger/",))
    assert [source.name for source in cell.sources] == ["ledger", "router"]


def test_a_named_cell_is_one_of_the_matrix_under_another_name(cells):
    made = cells(
        'tapes = ["demo"]\n[matrix]\nproviders = ["ngram"]\nrepairs = ["all", "none"]\n[cells.plain]\nrepairs = "none"\n'
    )
    assert [(cell.name, cell.choice["repairs"]) for cell in made.cells] == [("plain", "none"), ("tapes", "all")]


def test_cells_alone_make_no_matrix(cells):
    made = cells('tapes = ["demo"]\n[cells.a]\nprovider = "ngram"\n[cells.b]\nprovider = "ngram"\npolicy = "vscode"\n')
    assert [(cell.name, cell.options.policy) for cell in made.cells] == [("a", "blocks"), ("b", "vscode")]


def test_samples_under_a_policy_of_time_are_left_out_with_the_reason_and_refused_where_they_are_named(cells):
    text = 'tapes = ["demo"]\n[matrix]\nproviders = ["ngram"]\npolicies = ["blocks", "vscode"]\nsamples = [3]\n'
    made = cells(text)
    assert [cell.options.policy for cell in made.cells] == ["blocks"]
    assert "moments must stand alone" in made.omissions[0].reason
    named = 'tapes = ["demo"]\n[cells.x]\nprovider = "ngram"\npolicy = "vscode"\nsamples = 3\n'
    assert "moments must stand alone" in refused(cells, named)


def test_cells_that_are_the_same_run_are_one(cells):
    made = cells('tapes = ["demo"]\n[matrix]\nproviders = ["ngram", "again"]\n[providers.again]\nprovider = "ngram"\n')
    assert len(made.cells) == 1
    assert "the same run as" in made.omissions[0].reason


def test_policies_of_the_file_are_known(cells):
    made = cells('tapes = ["demo"]\n[matrix]\npolicies = ["mine"]\n[options]\nprovider = "ngram"\n[policies.mine]\nbase = "vscode"\ndebounce = 5\n')  # fmt: skip
    assert made.cells[0].options.policies["mine"]["debounce"] == 5


def test_the_line_of_a_key_is_found_in_tables_arrays_of_tables_and_dotted_keys():
    text = '# x\na = 1\n[providers."my one"]\nbase-url = "y"\n[[leave-out]]\nuser = "u"\nb.c = 2\n'
    assert line_of(text, ["a"]) == 2
    assert line_of(text, ["providers", "my one", "base_url"]) == 4
    assert line_of(text, ["leave-out", "user"]) == 6
    assert line_of(text, ["leave-out", "b", "c"]) == 7
    assert line_of(text, ["nothing"]) == 0


@pytest.mark.parametrize(("one", "other"), [("模型一", "模型二"), ("a b", "a-b")])
def test_two_cells_whose_folders_would_have_one_name_are_refused_with_both_names(cells, one, other):
    tables = "".join(f'[cells."{name}"]\nprovider = "{what}"\n' for name, what in ((one, "ngram"), (other, "oracle")))
    said = refused(cells, 'tapes = ["demo"]\n' + tables)
    assert repr(one) in said
    assert repr(other) in said


AXES = (
    'tapes = ["demo"]\n[matrix]\nproviders = [{}]\nrepairs = ["all", "none"]\n[options]\nno-tests = true\nlimit = 1\n'
)


def test_a_cell_that_was_begun_under_another_name_has_the_folder_of_its_key(cells, tmp_path):
    before = cells(AXES.format('"ngram"')).cells
    for cell in before:
        folder = cell.folder_in(tmp_path)
        assert folder.name == f"{cell.name}-{cell.key[:8]}"
        folder.mkdir()
        (folder / "run.sqlite").touch()
    after = cells(AXES.format('"ngram", "fixed"')).cells
    names = [cell.folder_in(tmp_path).name for cell in after]
    assert names[:2] == [f"{repairs}-{cell.key[:8]}" for repairs, cell in zip(("all", "none"), before, strict=True)]
    assert [name.rpartition("-")[0] for name in names[2:]] == ["fixed-all", "fixed-none"]


def test_a_run_that_was_renamed_is_still_that_of_its_cell(cells, tmp_path):
    first, other = cells(AXES.format('"ngram"')).cells
    folder = first.folder_in(tmp_path)
    with Store.create(tmp_path / "chosen", {}) as store:
        store.put_fact("cell", folder.name)
    assert first.folder_in(tmp_path) == tmp_path / "chosen"
    assert counted_as(tmp_path / "chosen") == folder.name
    assert other.folder_in(tmp_path).name == f"{other.name}-{other.key[:8]}"

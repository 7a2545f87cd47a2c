import asyncio
import os

import msgspec
import pytest
from textual.widgets import Input, Static

from replay.records import Ending, Record
from server.errors import SettingsError
from tests.support.asking_again import RIGHT, ask, fill, listed, refused, said, state_of
from tests.support.hostile_texts import HOSTILE, is_harmless
from tests.support.inspector_screen import drawn, themed
from tests.support.scale import sampled
from tests.support.screen_looks import in_one_look
from tests.support.waiting import PATIENCE_S, notified, until_drawn
from tui.inspector.again.again_answers import ListedAnswer, answers_to
from tui.inspector.again.asker import Asker
from tui.inspector.again.question_fields import Question, config_with, difference_words, question_of
from tui.inspector.app import Inspector
from tui.inspector.repeat_command import words_for
from tui.inspector.screens.again import AgainDialog
from tui.inspector.screens.answer_list import AnswersScreen


def outcome(answer):
    return answer.question.values["provider"], str(answer.record.ending.name), answer.record.verdict.name


async def test_a_moment_is_asked_again_and_tested_and_the_run_stays_as_it_was(asked_run, monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "sk-never-to-be-written")
    monkeypatch.setenv("GHOSTTAPE_PROVIDER", "oracle")
    before = state_of(asked_run)
    app = Inspector(asked_run)
    async with app.run_test(size=(80, 24)) as pilot:
        wanted = app._record()
        assert wanted.verdict.name == "failed"
        assert await ask(pilot, text=RIGHT)
        await pilot.press("escape")
        answers = await ask(pilot, provider="ngram")
        assert [answer.number for answer in answers] == [0, 1, 2]
        assert [outcome(answer)[0] for answer in answers] == ["fixed", "fixed", "ngram"]
        assert outcome(answers[0])[2] == "failed"
        assert outcome(answers[1]) == ("fixed", "accepted", "passed")
        assert answers[1].record.suggestion.text == RIGHT
        assert answers[2].record.suggestion is None or answers[2].record.suggestion.provider == "ngram"
        assert {answer.record.moment.id for answer in answers} == {wanted.moment.id}
        assert f'text "{RIGHT}"' in drawn(app)
        await pilot.press("home", "down", "enter")
        await pilot.pause()
        heading = str(app.query_one("#heading", Static).content)
        assert "accepted" in heading
        assert "answer 1" in heading
        await pilot.press("A", "enter")
        await pilot.pause()
        assert "failed: " in str(app.query_one("#heading", Static).content)
        await pilot.press("j", "A")
        await pilot.pause()
        assert [answer.number for answer in app.screen.answers] == [0]
    assert state_of(asked_run) == before
    written = b"".join(path.read_bytes() for path in (asked_run / "again").rglob("*") if path.is_file())
    assert b"never-to-be-written" not in written
    assert [answer.number for answer in answers_to(asked_run, wanted.moment.id)] == [1, 2]


async def test_what_the_command_refuses_is_said_in_the_dialog_which_keeps_its_fields(asked_run):
    app = Inspector(asked_run)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await pilot.pause()
        fill(app, provider="fxed")
        await pilot.press("enter")
        await until_drawn(pilot, lambda: "did you mean 'fixed'" in said(app))
        assert said(app).startswith("provider.name: 'fxed' is none of gguf, ")
        assert app.screen.query_one("#provider", Input).value == "fxed"
        fill(app, provider="fixed", temperature="warm")
        await pilot.press("enter")
        await pilot.pause()
        assert "$.provider.temperature" in said(app)
        fill(app, temperature="0", base_url="http://user:secret@127.0.0.1:1/")
        await pilot.press("enter")
        await pilot.pause()
        assert "base_url holds a password" in said(app)
        assert list((asked_run / "again").iterdir()) == []
        fill(app, base_url="")
        await pilot.press("enter", "escape")
        assert len(app.screen_stack) == 1
    # that one is usable: leaving the inspector ends it, and what it has not begun is gone
    assert [one for one in (asked_run / "again").iterdir() if not (one / "run.sqlite").exists()] == []


async def test_a_question_that_is_under_way_is_ended_when_asked(asked_run):
    """An answer that takes a minute: a server that accepts connections and says nothing."""
    server = await asyncio.start_server(lambda reader, writer: asyncio.sleep(PATIENCE_S), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    app = Inspector(asked_run)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await pilot.pause()
        fill(app, provider="llamacpp", base_url=f"http://127.0.0.1:{port}", other='{"provider": {"timeout_s": 600}}')
        await pilot.press("enter")
        await until_drawn(pilot, lambda: isinstance(app.screen, AnswersScreen))
        screen = app.screen
        await until_drawn(pilot, lambda: screen.answers and screen.answers[-1].state == "being asked")
        await pilot.press("x")
        await until_drawn(pilot, lambda: screen.answers[-1].state == "stopped before its end")
        assert screen.answers[-1].record is None
        await until_drawn(pilot, lambda: app._questions.asker.has_ended(1))
        await pilot.press("home", "x")
        assert len(app.screen.answers) == 2
    server.close()


def test_leaving_the_inspector_ends_what_still_asks(tmp_path):
    asker = Asker(tmp_path, os.environ)
    number = asker.ask(["watch", str(tmp_path)])
    assert not asker.has_ended(number)
    asker.close()
    assert asker.has_ended(number)
    assert not asker.stop(number)


def test_a_command_has_the_keys_of_the_environment_and_none_of_its_settings(tmp_path):
    given = {"GHOSTTAPE_API_KEY": "key", "GHOSTTAPE_PROVIDER": "x", "GHOSTTAPE_MODEL": "x", "GHOSTTAPE_BASE_URL": "x", "GHOSTTAPE_SERVER": "x", "PATH": "/"}  # fmt: skip
    assert Asker(tmp_path, given)._environment == {"GHOSTTAPE_API_KEY": "key", "PATH": "/"}


CONFIG = {"settings": {"provider": {"name": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}}, "seed": 3}


def changed(question, **values):
    return Question({**question.values, **values}, question.repairs, question.other)


def test_the_fields_hold_what_the_run_was_made_with():
    question = question_of({**CONFIG, "settings": {**CONFIG["settings"], "context": {"before": 700}, "repairs": ["stop"]}})  # fmt: skip
    assert question.values == {
        "provider": "openai",
        "model": "m",
        "base_url": "http://127.0.0.1:1/v1",
        "text": "",
        "template": "",
        "before": "700",
        "after": "",
        "max_tokens": "64",
        "temperature": "0.0",
        "seed": "3",
    }
    assert question.repairs == ("stop",)


def test_what_is_changed_reaches_the_settings_and_the_rest_stays():
    question = changed(question_of(CONFIG), temperature="0.5", before="900", seed="7", template="codestral")
    made = config_with(
        {**CONFIG, "policy": "vscode"}, Question(question.values, ("prose",), '{"cache": {"entries": 0}}')
    )
    assert (made["seed"], made["policy"]) == (7, "vscode")
    settings = made["settings"]
    provider = settings["provider"]
    assert (provider["temperature"], provider["template"], provider["model"]) == (0.5, "codestral", "m")
    assert (settings["context"]["before"], settings["context"]["after"]) == (900, None)
    assert (tuple(settings["repairs"]), settings["cache"]["entries"]) == (("prose",), 0)


def test_recorded_answers_ablations_and_published_answers_are_not_repeated():
    record = {"path": "/answers.jsonl", "mode": "write"}
    provider = {"name": "recorded", "answers": "/a.jsonl", "required": True, "record": record}
    config = {"settings": {"provider": provider}, "published": "gpt", "ablate": "repairs", "corpus": "devbench"}
    made = config_with(config, changed(question_of(config), provider="ngram"))
    told = made["settings"]["provider"]
    assert (told["answers"], told["required"], told["record"]["path"]) == ("", False, "")
    assert not {"published", "ablate"} & set(made)
    assert config_with(config, question_of(config))["published"] == "gpt"


def test_a_server_that_the_person_names_gets_the_key_and_that_of_a_folder_still_not():
    config = {"settings": {"provider": {**CONFIG["settings"]["provider"], "use_key": False}}}
    same = config_with(config, question_of(config))
    named = config_with(config, changed(question_of(config), base_url="http://127.0.0.1:2/v1"))
    assert (same["settings"]["provider"]["use_key"], named["settings"]["provider"]["use_key"]) == (False, True)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"temperature": "warm"}, "provider.temperature"),
        ({"temperature": "-1"}, "temperature is -1"),
        ({"max_tokens": ""}, "provider.max_tokens"),
    ],
)
def test_a_field_that_cannot_be_is_named(values, said):
    with pytest.raises(SettingsError, match=said):
        config_with(CONFIG, changed(question_of(CONFIG), **values))
    with pytest.raises(SettingsError, match="further settings are not JSON"):
        config_with(CONFIG, Question(question_of(CONFIG).values, other="{"))


def test_the_program_of_a_language_server_stands_in_the_dialog_before_it_is_started():
    config = {"settings": {"provider": {"name": "lsp", "command": ["their-server", "--stdio"]}}}
    assert "their-server" in question_of(config).other


def test_the_differences_are_named():
    base = question_of(CONFIG)
    other = changed(base, temperature="0.5", text="a b", after="20", provider="ngram")
    assert difference_words(base, base) == ""
    words = 'text "a b", budget after 20, temperature 0.5, repairs none'
    assert difference_words(Question(other.values, ()), base) == words


def test_the_words_of_a_command_say_how_the_project_is_built():
    config = {"policy": "blocks", "tests_over": {"toolchain": "node", "setup": "npm ci", "command": "npm test"}, "network_setup": True, "setup_env": ["PROXY"], "which_tests": "touching", "ask_missed": False, "excluded": ["docs/"], "also_requires": ["a", "b"]}  # fmt: skip
    words = words_for("0a", "t.jsonl", config)
    for pair in (["--toolchain", "node"], ["--setup", "npm ci"], ["--test-command", "npm test"], ["--setup-env", "PROXY"], ["--tests", "touching"], ["--exclude", "docs/"], ["--requires", "a"]):  # fmt: skip
        assert words[words.index(pair[0]) + 1] == pair[1]
    assert {"--allow-network-setup", "--no-ask-missed"} <= set(words)
    assert words.count("--requires") == 2
    words = words_for("0a", "data", {"corpus": "devbench", "samples": 5, "workers": "warm", "seed": 2, "tests": False})
    assert words[:8] == ["evaluate", "devbench", "--data", "data", "--seed", "2", "--samples", "5"]
    assert words[words.index("--workers") + 1] == "warm"
    assert "--no-tests" in words


async def test_in_drive_mode_it_is_said_that_no_moment_can_be_asked_alone(asked_run):
    config = msgspec.toml.decode((asked_run / "config.toml").read_bytes())
    (asked_run / "config.toml").write_bytes(msgspec.toml.encode({**config, "mode": "drive"}))
    app = Inspector(asked_run)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("a")
        await pilot.pause()
        assert ["it cannot be asked alone" in message for message in await notified(pilot)] == [True]
        assert len(app.screen_stack) == 1


@pytest.mark.sampled
async def test_hostile_text_is_harmless_in_the_dialog_and_in_the_list(asked_run):
    question = question_of(CONFIG)
    app = Inspector(asked_run)
    async with app.run_test(size=(80, 24)) as pilot:
        own = ListedAnswer(0, question, app._record())
        for text in sampled(HOSTILE[::10]):
            hostile = changed(question, provider=text[:2000], text=text[:2000])
            broken = Record(moment=own.record.moment, ending=Ending("failed", text[:2000]))
            answers = [own, ListedAnswer(1, hostile, broken), ListedAnswer(2, hostile, None, said=text[:2000])]
            app.push_screen(AnswersScreen(lambda found=answers: found, lambda number: False, 1))
            await pilot.pause()
            assert is_harmless(drawn(app))
            await pilot.press("escape")
            app.push_screen(AgainDialog(hostile, lambda question: 1, app._questions.asker))
            await pilot.pause()
            assert app.screen.question == hostile
            app.screen._say(text)
            await pilot.pause()
            assert is_harmless(drawn(app))
            await pilot.press("escape")


@in_one_look
def test_dialog(asked_run, snap_compare, size, theme):
    assert snap_compare(themed(asked_run, theme), run_before=refused, terminal_size=size)


@in_one_look
def test_list(asked_run, snap_compare, size, theme):
    assert snap_compare(themed(asked_run, theme), run_before=listed, terminal_size=size)

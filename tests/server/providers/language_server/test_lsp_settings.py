"""What can be said of the provider `lsp` in settings, and its answers on record."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from server.documents import Document
from server.errors import ProviderMissing, SettingsError
from server.providers import registry
from server.providers.language_server.fake_server import PlainServer
from server.queries import Query
from server.service import Service
from server.settings import AnswerRecord, ProviderSettings, Settings, parse

COMPLETE = "textDocument/inlineCompletion"
URI = "file:///p/a.py"


@pytest.mark.parametrize("command", ["no-such-language-server --stdio", ("./no-such-file",), "/no/such/file"])
def test_a_program_that_is_not_there_is_found_out_before_anything_runs(command):
    with pytest.raises(ProviderMissing, match="is not on PATH, or cannot be run: install it"):
        registry.make(ProviderSettings(name="lsp", command=command))


def test_a_command_has_to_be_named():
    with pytest.raises(ProviderMissing, match="--server"):
        registry.make(ProviderSettings(name="lsp"))


def test_one_string_is_split_as_a_shell_does_and_runs_in_its_folder(tmp_path):
    program = tmp_path / "my server"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    made = registry.make(ProviderSettings(name="lsp", command="'./my server' --x 'a b'", folder=str(tmp_path)))
    assert made.command == (str(program), "--x", "a b")
    assert made._launch().folder == tmp_path


def test_a_quotation_without_an_end_is_refused():
    with pytest.raises(SettingsError, match="No closing quotation"):
        parse('{"provider": {"command": "x \'y"}}')


async def test_recorded_answers_cover_what_they_covered_and_stand_under_the_documents_names(tmp_path):
    where = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}
    fake = PlainServer(tmp_path)
    fake.plan({COMPLETE: {"result": [{"insertText": "1)", "range": where}]}})
    asked = [Query(URI, "python", "x = ", ")\n", opened=(Document(URI, "python", 1, "x = )\n"),))]
    asked.append(replace(asked[0], uri="file:///p/b.py"))
    seen = []
    for mode in ("write", "require"):
        record = AnswerRecord(path=str(tmp_path / "answers.jsonl"), mode=mode)
        settings = ProviderSettings(name="lsp", command=fake.command, record=record)
        service = Service(registry.make(settings), Settings(repairs=()))
        for query in asked:
            answer = await service.complete(query)
            seen.append((answer.text, answer.covered, answer.prompt, answer.reason))
        await service.close()
    assert seen[:2] == seen[2:]
    assert {each[:2] for each in seen} == {("1)", 1)}
    keys = [json.loads(line)["key"] for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert len(set(keys)) == 2
    assert len(fake.sent("initialize")) == 1

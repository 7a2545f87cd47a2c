"""That the prompt which a person can see is what the model was sent, byte for byte, in every form."""

from __future__ import annotations

import pytest

from server.context import RecentEdit, Snippet
from server.providers import registry
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings, Settings
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus

BEFORE, AFTER = 'alpha = "é😀"\nbeta = ', "\ngamma = 3\n"
QUERY = Query(
    "file:///shop/a.py",
    "python",
    BEFORE,
    AFTER,
    others=(Snippet("b.py", "def b(alpha):\n    return alpha  # ⟨cursor⟩\n"),),
    edited=(RecentEdit("c.py", 3, ("one = 1",), ("one = 2",)),),
    path="a.py",
    repo="shop",
)


def _text(body):
    return body["prompt"]


def _fields(body):
    return f"⟨before⟩\n{body['prompt']}⟨cursor⟩{body['suffix']}"


def _messages(body):
    return "\n\n".join(f"⟨{message['role']}⟩\n{message['content']}" for message in body["messages"])


def _anthropic(body):
    return "\n\n".join([f"⟨system⟩\n{body['system']}", *([_messages(body)])])


def _infill(body):
    files = "".join(f"⟨file {file['filename']}⟩\n{file['text']}\n\n" for file in body["input_extra"])
    return f"{files}⟨before⟩\n{body['input_prefix']}⟨cursor⟩{body['input_suffix']}"


FORMS = {
    "plain": ("openai", "/v1", {"api": "completions"}, _text),
    "template": ("openai", "/v1", {"template": "qwen"}, _text),
    "suffix first": ("openai", "/v1", {"template": "codestral"}, _text),
    "suffix": ("openai", "/v1", {"api": "suffix"}, _fields),
    "chat": ("openai", "/v1", {"api": "chat"}, _messages),
    "chat of blocks": ("openai", "/v1", {"chat": "codev"}, _messages),
    "infill": ("llamacpp", "", {}, _infill),
    "ollama": ("ollama", "", {}, _fields),
    "ollama raw": ("ollama", "", {"template": "starcoder2"}, _text),
    "ollama chat": ("ollama", "", {"api": "chat"}, _messages),
    "ollama chat of blocks": ("ollama", "", {"chat": "codev"}, _messages),
    "anthropic": ("anthropic", "", {}, _anthropic),
    "anthropic chat of blocks": ("anthropic", "", {"chat": "codev"}, _anthropic),
}


async def _asked(name, path, chosen, script=None):
    """What a person is shown, and the bodies that the server got."""
    async with FakeModelServer(DIALECTS[name], script or FakeScript()) as model:
        settings = ProviderSettings(name=name, model="m", base_url=model.url + path, **chosen)
        service = Service(registry.make(settings), Settings(provider=settings))
        suggestion = await service.complete(QUERY)
        await service.close()
        return suggestion, [asked.body for asked in model.asked]


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_shown_is_what_was_sent(form):
    name, path, chosen, told = FORMS[form]
    suggestion, bodies = await _asked(name, path, chosen)
    assert suggestion.outcome != "failed", suggestion.reason
    assert suggestion.prompt == told(bodies[-1])
    assert 'alpha = "é😀"\nbeta = ' in suggestion.prompt
    assert "def b(alpha):" in suggestion.prompt
    assert "one = 2" in suggestion.prompt


async def test_a_server_that_wants_a_chat_after_all_is_shown_to_have_had_one():
    script = FakeScript(first=[FakeStatus(404)])
    suggestion, bodies = await _asked("openai", "/v1", {}, script)
    assert len(bodies) == 2
    assert suggestion.prompt == _messages(bodies[-1])


async def test_explain_tells_the_prompt_over_the_wire(start):
    async with FakeModelServer(DIALECTS["openai"]) as model:
        provider = {"name": "openai", "base_url": f"{model.url}/v1", "template": "deepseek"}
        editor = await start({"provider": provider})
        editor.open(BEFORE + AFTER)
        await editor.ask(1, 7)
        told = await editor.explain(1, 7)
        assert (
            told.prompt
            == model.asked[-1].body["prompt"]
            == f"<｜fim▁begin｜>{BEFORE}<｜fim▁hole｜>{AFTER}<｜fim▁end｜>"
        )

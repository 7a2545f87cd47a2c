"""Several answers of the embedded model to one question."""

import pytest

COUNTING = "def describe(items):\n    total = 0\n    "


@pytest.mark.usefixtures("embedded")
async def test_the_samples_of_the_embedded_model_differ_and_each_comes_again(start):
    settings = {"provider": {"name": "gguf", "temperature": 1.2, "max_tokens": 8, "seed": 5}, "repairs": []}

    async def texts(editor, samples):
        editor.open(COUNTING + "\n")
        return [(await editor.ask(2, 4, "line", sample=sample) or ("", 0))[0] for sample in samples]

    one, other = await texts(await start(settings), [0, 1])
    assert one != other
    without_cache = settings | {"cache": {"entries": 0}}
    assert await texts(await start(without_cache), [1, 0, 1]) == [other, one, other]

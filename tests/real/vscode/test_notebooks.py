"""Ghost text in the cells of a notebook: the cells above are seen, those of other languages are not sent."""

import json


def cell(source, kind="code"):
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": {}} | code


CELLS = [cell("import json\nshop = {}"), cell("# Our secret plans", "markdown"), cell("total = 1")]
BOOK = {"cells": CELLS, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def sources(text):
    return ["".join(each["source"]) for each in json.loads(text)["cells"]]


def test_a_cell_is_completed_with_the_cells_of_its_language_above_it_in_view(open_file, model):
    model.answer = lambda asked: "json.dumps(shop)" if asked["prompt"].endswith("x = ") else ""
    window = open_file("", others={"book.ipynb": json.dumps(BOOK)})
    window.open("book.ipynb")
    window.page.locator(".notebook-editor .view-line", has_text="total").first.click()
    window.press("Control+End")
    window.type("\nx = ")
    window.until_ghost("json.dumps(shop)")
    window.press("Tab")
    window.until_ghost("")
    window.file = "book.ipynb"
    assert sources(window.save()) == ["import json\nshop = {}", "# Our secret plans", "total = 1\nx = json.dumps(shop)"]
    assert any(prompt.endswith("import json\nshop = {}\ntotal = 1\nx = ") for prompt in model.prompts)
    assert not any("secret plans" in prompt for prompt in model.prompts)

from corpora.codev.retrieval.evidence import FunctionIndex, candidate_functions, functions_in
from server.embeddings.protocol import FakeEmbedder

SHOP = """import tax


class Basket:
    @property
    def total(self):
        prices = [item.price for item in self.items]
        return tax.with_tax(sum(prices))

    def clear(self):
        def forget(item):
            item.basket = None
        for item in self.items:
            forget(item)
"""
TAX = '''def with_tax(net):
    """Prices with tax."""
    return net * 1.2


def price_of(item):
    return item.price
'''
FILES = {"shop.py": SHOP, "tax.py": TAX, "tests/test_shop.py": "def test_total(prices):\n    assert total(prices)\n"}


def place(text, part):
    return text.index(part), text.index(part) + len(part)


async def names(index, path, part):
    return [each.name for each in await index.ranked(path, *place(index.files[path], part))]


def test_candidates_are_the_named_functions_with_their_classes_and_no_tests():
    found = candidate_functions(FILES)
    assert [(each.path, each.name) for each in found] == [
        ("shop.py", "Basket.total"),
        ("shop.py", "Basket.clear"),
        ("shop.py", "Basket.clear.forget"),
        ("tax.py", "with_tax"),
        ("tax.py", "price_of"),
    ]
    assert found[0].text.startswith("@property")
    assert found[0].line == 4


def test_functions_of_scripts_have_the_names_of_their_variables():
    text = "export const area = (a, b) => a * b;\nclass Shape {\n  side() { return 1; }\n}\n[1].map(x => x);\n"
    assert [each.name for each in functions_in("a.ts", text)] == ["area", "Shape.side"]


async def test_what_shares_rare_words_with_the_function_at_the_cursor_comes_first():
    pay = "def pay(invoice):\n    currency = invoice.currency\n    return here\n"
    bank = "def greet(name):\n    return name\n\n\ndef convert(net, currency):\n    return net * RATES[currency]\n"
    best = await FunctionIndex.by_words({"bank.py": bank, "pay.py": pay}).evidence("pay.py", *place(pay, "return here"))
    assert [(each.path, each.line) for each in best] == [("bank.py", 4), ("bank.py", 0)]
    assert best[0].text == "def convert(net, currency):\n    return net * RATES[currency]"


async def test_the_answer_is_no_part_of_the_query():
    asked = []

    def vector(text):
        asked.append(text)
        return [1.0, 0.0]

    index = await FunctionIndex.by_meaning(FILES, FakeEmbedder(vector))
    await names(index, "shop.py", "return tax.with_tax(sum(prices))")
    assert "with_tax" not in asked[-1]
    assert "prices = [item.price" in asked[-1]


async def test_neither_the_function_at_the_cursor_nor_what_surrounds_it_nor_a_copy_is_evidence():
    inner = await names(FunctionIndex.by_words(FILES), "shop.py", "item.basket = None")
    assert sorted(inner) == ["Basket.total", "price_of", "with_tax"]
    copied = {**FILES, "lib/shop.py": SHOP, "old.py": "\n".join(line[4:] for line in SHOP.splitlines()[9:])}
    own = await FunctionIndex.by_words(copied).ranked("shop.py", *place(SHOP, "forget(item)\n"))
    assert not [each for each in own if each.name.endswith("clear")], "the copies in lib/ and old.py hold the answer"
    assert [each.name for each in own if each.path == "shop.py"] == ["Basket.total"]


async def test_outside_of_a_function_the_lines_before_are_the_query():
    files = {"main.py": "import tax\nnet = 3\nprice = with_tax(net)\nprint(price)\n", "tax.py": TAX}
    assert (await names(FunctionIndex.by_words(files), "main.py", "print(price)"))[0] == "with_tax"


async def test_embeddings_are_compared_by_their_direction_and_not_by_their_length():
    vectors = {"def with_tax": [9.0, 9.0], "def price_of": [0.1, 0.0]}
    index = await FunctionIndex.by_meaning(
        {"tax.py": TAX, "shop.py": "def asked():\n    here\n"},
        FakeEmbedder(lambda text: next((v for start, v in vectors.items() if text.startswith(start)), [1.0, 0.1])),
    )
    assert await names(index, "shop.py", "here") == ["price_of", "with_tax"]


async def test_a_copy_under_another_name_and_a_function_whose_body_is_the_answer_are_no_evidence():
    code = "def twin(x):\n    y = x * 2\n    return y\n"
    files = {"a.py": code.replace("twin", "own"), "b.py": code, "c.py": code.replace("* 2", "* 3")}
    start, end = files["a.py"].index("y ="), files["a.py"].index("\n    return")
    assert [each.path for each in await FunctionIndex.by_words(files).ranked("a.py", start, end)] == ["c.py"]
    unnamed = "call((x) => { return x * 2; });\n"
    files = {"a.js": unnamed, "b.js": "function twin(x) {\n  return x * 2;\n}\nfunction other(x) { return 3; }\n"}
    start = unnamed.index("return")
    ranked = await FunctionIndex.by_words(files).ranked("a.js", start, start + len("return x * 2;"))
    assert [each.name for each in ranked] == ["other"]

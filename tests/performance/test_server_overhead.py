"""What the server itself costs: a key and a question behind it, answered by a provider that answers at once.

Beside it, in the same run and turn by turn, so that all have the same machine: a plain pygls server that answers with a constant, and
a bare JSON-RPC loop that keeps no document. Ours is asked without repairs (`bare`) and with all of them, for three kinds of right
answers: the rest of a `word`, which costs no parse; a `line` with brackets and a `block` of several lines, which cost one parse of the
statements around the cursor. One parse of the whole file by tree-sitter is measured beside them.
"""

import statistics
import time

import pytest

from server.context import Snippet
from server.providers.fixed import Fixed
from server.queries import Query
from server.service import Service
from syntax.languages import language_of, parser_of
from tests.support.bare_client import Wire, ours, script

ANSWERS = {
    "word": ("    total = ", "_of_all"),
    "line": ("    total = ", "(a, [b, 1])"),
    "block": ("    for ", " in range(b):\n        if each > a:\n            print(each)\n            return each"),
}
"""What stands before the name that is typed, and what is answered behind it."""
LEFT, WORD = ANSWERS["word"]
SERVERS = {
    "raw": (script("raw_loop"), LEFT, "return 1"),
    "pygls": (script("plain_pygls"), LEFT, "return 1"),
    "bare": (ours(WORD, repairs=[]), LEFT, WORD),
    **{kind: (ours(text), left, text) for kind, (left, text) in ANSWERS.items()},
}
WORD_LENGTH = 20
BURST, BURSTS = 20, 25


def text_of(lines):
    """Python of so many lines."""
    return "".join(f"def f{n}(a, b):\n    return a + b * {n}  # the sum of both\n\n\n" for n in range(lines // 4))


def halves(lines, left):
    """A file of so many lines, in two parts: in a function in its middle, a line is being written."""
    functions = text_of(lines).split("\n\n\n")
    middle = len(functions) // 2
    above = "\n\n\n".join([*functions[:middle], f"def of_the_middle(a, b):\n{left}"])
    return above, "\n" + "\n\n\n".join(["    return total", *functions[middle + 1 :]])


class Typist:
    """Types names, one key after the other, into a line in the middle of a file, and asks behind each key.

    `processor_ms` has what the server spent on a pair, by burst: other work of the machine changes it less than the time on the clock.
    """

    def __init__(self, server, lines):
        argv, self.left, self.answer = server
        above, below = halves(lines, self.left)
        self.wire, self.line = Wire(argv, above + below), above.count("\n")
        self.typed, self.character = 0, len(self.left)
        self.processor_ms = []

    def burst(self, keys):
        """The ms of each of so many pairs."""
        took, spent = [], self.wire.processor_ms()
        for _ in range(keys):
            if self.typed % WORD_LENGTH == 0:
                name = f"name{self.typed // WORD_LENGTH}"
                self.wire.replace(self.line, len(self.left), self.character, name)
                self.character = len(self.left) + len(name)
            item, ms = self.wire.pair(self.line, self.character)
            assert item["insertText"] == self.answer
            self.typed, self.character = self.typed + 1, self.character + 1
            took.append(ms)
        self.processor_ms.append((self.wire.processor_ms() - spent) / keys)
        return took


@pytest.fixture(params=[50, 500, 5000])
def lines(request):
    return request.param


@pytest.fixture
def typists(lines):
    typists = {name: Typist(server, lines) for name, server in SERVERS.items()}
    yield typists
    for typist in typists.values():
        typist.wire.close()


GOALS = {"bare": 2.0, "word": 1.3, "line": 1.0, "block": 0.6}
"""Pairs of a key and a question for the same processor time, in those of a plain pygls server, whatever the length of the file. A block
of four lines does not reach 1.0: the repairs look at each of its lines."""


def figures(bursts):
    """Of the ms of pairs: p50, p99, and pairs a second where nothing disturbs them."""
    cuts = statistics.quantiles([ms for burst in bursts for ms in burst], n=100)
    return {"p50_ms": round(cuts[49], 3), "p99_ms": round(cuts[98], 3), "per_s": round(1000 / undisturbed(bursts))}


def spent(typist):
    """The processor ms of a pair: the mean of the quicker quarter of all bursts."""
    bursts = sorted(typist.processor_ms)
    return statistics.mean(bursts[: max(1, len(bursts) // 4)])


def undisturbed(bursts):
    """The mean ms of the quicker quarter of all pairs: other work of the machine is in the rest."""
    pairs = sorted(ms for burst in bursts for ms in burst)
    return statistics.mean(pairs[: len(pairs) // 4])


def parse_ms(lines, left, answer):
    """What one parse of the file with an answer takes, in the fastest of ten rounds."""
    above, below = halves(lines, left)
    data, parser = f"{above}name{answer}{below}".encode(), parser_of(language_of("python"))
    took = []
    for _ in range(10):
        began = time.perf_counter()
        parser.parse(data)
        took.append((time.perf_counter() - began) * 1000)
    return round(min(took), 3)


def test_a_key_and_a_question_against_a_plain_pygls_server(measure, benchmark, lines, typists):
    bursts = {name: [] for name in typists}
    for _ in range(1 if benchmark.disabled else BURSTS):
        for name, typist in typists.items():
            bursts[name].append(typist.burst(BURST))
    told = {name: figures(each) for name, each in bursts.items()}
    told["parse_ms"] = {kind: parse_ms(lines, *asked) for kind, asked in ANSWERS.items()}
    told["processor_ms"] = {name: round(spent(typist), 3) for name, typist in typists.items()}
    throughput = {kind: round(spent(typists["pygls"]) / spent(typists[kind]), 2) for kind in GOALS}
    bare, pygls = typists["bare"], typists["pygls"]
    measure(lambda: bare.burst(BURST), lambda: pygls.burst(BURST), per_s=BURST, **told, throughput=throughput)
    if benchmark.disabled:
        return
    assert not [kind for kind, goal in GOALS.items() if throughput[kind] < goal], throughput


@pytest.mark.parametrize("others", [0, 10])
def test_looking_up_among_many_answers_against_hashing_the_text_once(measure, others):
    """5,000 lines, and a cache full of answers for the same place: more answers must not make it dearer."""
    service, text = Service(Fixed("")), text_of(5000)
    open_too = [Snippet(f"{number}.py", text + str(number)) for number in range(others)]
    half = len(text) // 2
    queries = [Query("file:///a.py", "python", text[:half] + "x" * n, text[half:], others=open_too) for n in range(101)]
    for query in queries[:100]:
        spot, elsewhere = query.spot, query.elsewhere()
        service._kept.keep(spot, query.before, elsewhere, None, text="y" * 200, size=1)

    def fresh():
        """The same question in texts that are new, as each key makes them: Python has not hashed them yet."""
        last = queries[100]
        queries[100] = Query(last.uri, last.language, last.before[:-1] + "x", last.after[:-1] + "\n", others=open_too)

    assert (
        measure(lambda: service._reused(queries[100]), lambda: hash(text[:-1] + "\n"), prepare=fresh, entries=100)
        is None
    )


def test_the_document_takes_in_a_key_in_the_middle_of_a_long_text(measure):
    from server.documents import OpenDocuments

    documents, text = OpenDocuments(), text_of(20_000)
    documents.open("a", "python", 1, text)
    documents.change("a", 2, [((10_000, 0), (10_000, 0), "x")])

    def keys():
        for version in range(3, 103):
            documents.change("a", version, [((10_000, 1), (10_000, 2), "y")])
            documents.get("a").split((10_000, 2))

    def copies():
        for _ in range(100):
            part = text[:-1] + "x"
            assert len(part[: len(text) // 2] + part[len(text) // 2 :]) == len(text)

    measure(keys, copies, per_s=100)
    assert documents.get("a").version == 102

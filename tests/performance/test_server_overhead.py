"""What the server itself costs: a key and a question behind it, answered by a provider that answers at once.

Beside it, in the same run and turn by turn, so that all have the same machine: a plain pygls server that answers with a constant, and
a bare JSON-RPC loop that keeps no document. `bare` is our server without the repairs, whose own cost is that of parsing the file
(test_repair_speed.py).
"""

import statistics

import pytest
from wires import Wire, ours, script

from server.context import Snippet
from server.providers.fixed import Fixed
from server.service import Query, Service

SERVERS = {"raw": script("raw_loop"), "pygls": script("plain_pygls"), "bare": ours(repairs=[]), "ours": ours()}
BURST, BURSTS = 20, 25


def text_of(lines):
    """Python of so many lines."""
    return "".join(f"def f{n}(a, b):\n    return a + b * {n}  # the sum of both\n\n\n" for n in range(lines // 4))


class Typist:
    """Types one key after the other into the middle of a file, and asks behind each."""

    def __init__(self, argv, lines):
        self.wire, self.line, self.character = Wire(argv, text_of(lines)), lines // 2 - 2, 0

    def burst(self, keys):
        """The ms of each of so many pairs."""
        took = []
        for _ in range(keys):
            item, ms = self.wire.pair(self.line, self.character)
            assert item["insertText"] == "return 1"
            self.character = (self.character + 1) % 40
            took.append(ms)
        return took


@pytest.fixture(params=[50, 500, 5000])
def typists(request):
    typists = {name: Typist(argv, request.param) for name, argv in SERVERS.items()}
    yield typists
    for typist in typists.values():
        typist.wire.close()


def figures(bursts):
    """Of the ms of pairs: p50, p99, and pairs a second at best."""
    cuts = statistics.quantiles([ms for burst in bursts for ms in burst], n=100)
    return {"p50_ms": round(cuts[49], 3), "p99_ms": round(cuts[98], 3), "per_s": round(1000 * BURST / fastest(bursts))}


def fastest(bursts):
    """The ms of the burst that was disturbed least."""
    return min(map(sum, bursts))


def test_a_key_and_a_question_against_a_plain_pygls_server(measure, benchmark, typists):
    bursts = {name: [] for name in typists}
    for _ in range(1 if benchmark.disabled else BURSTS):
        for name, typist in typists.items():
            bursts[name].append(typist.burst(BURST))
    told = {name: figures(each) for name, each in bursts.items()}
    throughput = round(fastest(bursts["pygls"]) / fastest(bursts["bare"]), 2)
    bare, pygls = typists["bare"], typists["pygls"]
    measure(lambda: bare.burst(BURST), lambda: pygls.burst(BURST), per_s=BURST, **told, throughput=throughput)
    assert benchmark.disabled or throughput >= 2


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
    from server.documents import Documents

    documents, text = Documents(), text_of(20_000)
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

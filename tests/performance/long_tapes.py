"""Makes a tape of any length, or checks one, in a process of its own, and says what it took.

Arguments: `make PATH EVENTS` or `check PATH`. Prints one JSON object: seconds (wall), mb (the most memory that it held, MiB), and
what the check found. The documents have 20 to 100 thousand UTF-16 code units in four kinds of text; the texts are kept here as
UTF-16 bytes, without syntax/.
"""

import hashlib
import json
import random
import resource
import sys
import time
from pathlib import Path

from replay.importers.tape_check import check
from replay.tapes.tape import Edit, Embedded, Ghost, Header, Open, Run, Save, Select, State, Writer

LINES = {
    "ledger.py": "    total = sum(entry.amount for entry in entries)  # in cents\n",
    "köche.py": "    grüße = [name.upper() for name in gäste]  # für alle\n",
    "帳簿.py": "    合計 = sum(項目.金額 for 項目 in 帳簿)  # 円で\n",
    "emoji.py": "    mood = {'😀': 1, '🙃': -1}[face]  # 𝒳\n",
}
SIZES = {"ledger.py": 100_000, "köche.py": 60_000, "帳簿.py": 60_000, "emoji.py": 20_000}
TYPED = "return value\n"
BURST, CHECKPOINTS = 200, 20_000


def texts():
    return {path: line * (SIZES[path] // (len(line.encode("utf-16-le")) // 2)) for path, line in LINES.items()}


def events(count):
    """Bursts of typing, deleting and looking, now here, now there, with a checkpoint of every document now and then."""
    chance = random.Random(1)
    documents = [bytearray(text.encode("utf-16-le")) for text in texts().values()]
    for doc, (path, text) in enumerate(texts().items()):
        yield Open(0.0, doc, path, "python", text)
    made, doc, at = len(documents), 0, 0
    while made < count - len(documents):
        now = float(made * 100)
        if made % CHECKPOINTS < len(documents):
            yield checkpoint(now, made % CHECKPOINTS, documents)
        elif made % BURST == 0:
            doc = chance.randrange(len(documents))
            at = line_start(documents[doc], chance)
            yield Save(now, doc)
        elif made % 5 == 4:
            yield Select(now, doc, ((at, at),))
        elif made % 50 == 1:
            yield Ghost(now, doc, made, "shown", at, "x" * 60, 180.0)
        elif made % 20 == 6 and at + 20 < len(documents[doc]) // 2:
            documents[doc][2 * at : 2 * at + 10] = b""
            yield Edit(now, doc, ((at, at + 5, ""),), "delete")
        else:
            key = TYPED[made % len(TYPED)]
            documents[doc][2 * at : 2 * at] = key.encode("utf-16-le")
            yield Edit(now, doc, ((at, at, key),), "type")
            at += 1
        made += 1
    for doc in range(len(documents) - 1):
        yield checkpoint(count * 100.0, doc, documents)
    yield Run(count * 100.0, "pytest", 1, 0, 0)


def line_start(units, chance):
    return units.find(b"\n\0", 2 * chance.randrange(len(units) // 4)) // 2 + 1


def checkpoint(now, doc, documents):
    text = documents[doc].decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass")
    return State(now, doc, hashlib.sha256(text).hexdigest())


def make(path, count):
    header = Header(tape=1, id="long", editor="test", origin="synthesised", workspace=Embedded(), created="2026-01-01")
    with Writer(path, header) as writer:
        for event in events(count):
            writer.write(event)
    return {}


def found(path):
    told = check(path)
    return {"events": told.events, "changes": told.changes, "checkpoints": told.checkpoints, "kinds": told.kinds}


def most_mb():
    """Linux counts what the parent held before it became this process in `ru_maxrss`, but not in VmHWM."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def main(action, path, *count):
    began = time.process_time()
    result = make(Path(path), int(count[0])) if action == "make" else found(Path(path))
    sys.stdout.write(json.dumps({"seconds": time.process_time() - began, "mb": most_mb(), **result}))


if __name__ == "__main__":
    main(*sys.argv[1:])

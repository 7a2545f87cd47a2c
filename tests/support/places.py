"""Where things are: the checkout, its bundled tapes, the console script, excerpts of real data, and the folder with all of it beside the checkout."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "corpora/demo"
LEDGER = DEMO / "ledger.tape.jsonl"
EXCERPTS = ROOT / "tests/excerpts"
SHARED = ROOT.parent / "shared" / "data"
SCRIPT = str(Path(sys.executable).with_name("ghosttape"))

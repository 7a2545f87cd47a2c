"""Where things are: the checkout, its bundled tapes, the console script, and the folder of shared data beside it."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "corpora/demo"
LEDGER = DEMO / "ledger.tape.jsonl"
SHARED = ROOT.parent / "shared" / "data"
SCRIPT = str(Path(sys.executable).with_name("ghosttape"))

"""The command line: `ledger FILE`."""

from pathlib import Path

from ledger.model import LedgerError
from ledger.parse import parse
from ledger.report import render


def main(arguments, out):
    """Print the report on the ledger that is named; the exit status is 0, or 2 if it cannot be read."""
    if not arguments:
        print("usage: ledger FILE", file=out)
        return 2
    try:
        entries = parse(Path(arguments[0]).read_text(encoding="utf-8"))
    except (OSError, LedgerError) as error:
        print(f"ledger: {error}", file=out)
        return 2
    print(render(entries), file=out)
    return 0

"""Write docs/reference, and the list of docs/decisions: `make reference`. A test compares the pages with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tools.reference import declarations
from tools.reference.command_pages import command_pages
from tools.reference.page_markdown import bullets, page
from tui.cli.app import app

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
DECISIONS = FOLDER.parent / "decisions"
_BEGIN, _END = "<!-- decisions: make reference -->", "<!-- end of decisions -->"
_PAGES = {
    "verdicts": declarations.verdicts,
    "figures": declarations.figures,
    "policies": declarations.policies,
    "settings": declarations.server_settings,
    "models": declarations.models,
    "acceptance": declarations.acceptance,
    "typing": declarations.typing,
    "records": declarations.records,
    "comparison": declarations.comparison,
    "tapes": declarations.tapes,
}


def pages() -> Mapping[str, str]:
    """Return each page by its path below `FOLDER`."""
    made = {f"{name}.md": make() for name, make in _PAGES.items()}
    made |= {f"commands/{name}": text for name, text in command_pages(app).items()}
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in made.items()}
    top = ["[Commands and their options](commands/README.md)"]
    top += [f"[{title}]({name})" for name, title in titles.items() if "/" not in name]
    top.append("[JSON Schema of a tape's lines](../tape.schema.json)")
    about = "Here you look up what is declared in code; these pages are generated from it."
    return {"README.md": page("Reference", about, bullets(top)), **made}


def decisions_index(page_: str) -> str:
    """Return the page of the decisions with a list of all of them between its marks."""
    found = sorted(DECISIONS.glob("[0-9]*.md"))
    titles = ((path.name, path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")) for path in found)
    listed = bullets(f"[{title}]({name})" for name, title in titles)
    before, _, rest = page_.partition(_BEGIN)
    return f"{before}{_BEGIN}\n\n{listed}\n\n{_END}{rest.partition(_END)[2]}"


def write(folder: Path) -> None:
    """Write all pages into a folder, and remove pages that are no longer made."""
    made = pages()
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
    index = DECISIONS / "README.md"
    index.write_text(decisions_index(index.read_text(encoding="utf-8")), encoding="utf-8")

"""The keys of the inspector, in the groups in which the help names them."""

from __future__ import annotations

from textual.binding import Binding

KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Moments",
        (
            ("w", "why: the page that explains this moment; where it passed, the next failure"),
            ("↑ ↓ j k", "next moment, moment before (in a page: scroll)"),
            ("g G  PgUp PgDn", "first, last; a screen up or down"),
            ("m  M", "mark; write a note (both are kept in the run)"),
            ("click", "on a moment: choose it; on a title: sort by it"),
        ),
    ),
    (
        "Which moments",
        (
            ("/  n  N", "search; next match; match before"),
            ("&", "only what matches the search, or all again"),
            ("f", "only failures, or all again"),
            ("F  e v t", "filters; filters from ending, verdict, tape on"),
            ("W  o", "save this filter under a name; use or remove a saved one"),
            ("s  S", "sort by the next column; turn the order round"),
            ("escape", "all moments again"),
        ),
    ),
    (
        "Pages",
        (
            ("1 to 7", "suggestion, hole, repairs, graft, tests, prompt, time"),
            ("tab", "between the list and the page"),
            ("a  A", "ask again in another way; the answers so far, with their verdicts"),
            ("c", "copy: code, truth, raw text, diff, log or prompt, as the page has it"),
            ("C", "copy the command that repeats this one moment"),
        ),
    ),
    (
        "All",
        (
            ("T", "next theme: dark, light, terminal, contrast"),
            ("ctrl+p", "command palette"),
            ("i", "shares by language, category, tape and length"),
            ("r", "read the run again (it does so by itself when it grows)"),
            ("?  q", "this help; leave"),
        ),
    ),
)

MAIN_BINDINGS: tuple[Binding, ...] = (
    Binding("w", "why", "Why"),
    Binding("slash", "search", "Search", key_display="/"),
    Binding("n", "match(1)", "Next match", show=False),
    Binding("N", "match(-1)", "Match before", show=False),
    Binding("ampersand", "only_matches", "Only matches", show=False),
    Binding("f", "failures", "Filter", key_display="f F"),
    Binding("F", "filter('')", "Filters", show=False),
    *(Binding(name[0], f"filter('{name}')", f"By {name}", show=False) for name in ("ending", "verdict", "tape")),
    Binding("W", "save_filter", "Save filter", show=False),
    Binding("o", "saved_filters", "Saved filters", show=False),
    Binding("s", "sort", "Sort"),
    Binding("S", "turn", "Turn the order round", show=False),
    Binding("m", "mark", "Mark"),
    Binding("M", "note", "Note", show=False),
    Binding("a", "again", "Ask", key_display="a A"),
    Binding("A", "answers", "Answers", show=False),
    Binding("c", "copy", "Copy"),
    Binding("C", "copy_command", "Copy the command", show=False),
    Binding("tab,shift+tab", "pane", "Pane", priority=True, key_display="⇥"),
    Binding("i", "groups", "Groups", show=False),
    Binding("r", "reload", "Reload", show=False),
    Binding("escape", "show_all", "All moments", show=False),
    Binding("question_mark", "keys", "Help", key_display="?"),
    Binding("q", "quit", "Quit"),
)
"""What each key does, but for the pages' own; those that are shown stand in the footer."""

"""Answers that say before which text they belong."""

NEW_LINE = "\n"


def marked(asked):
    """An answer that says before which text it belongs."""
    return f"_after_{asked['prompt'].rpartition(NEW_LINE)[2][-6:]}()"


def fits(seen):
    return seen.text == f"_after_{seen.before[-6:]}()"

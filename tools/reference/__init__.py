"""The generated reference, docs/reference: what is declared in code, as Markdown (`make reference` writes it)."""

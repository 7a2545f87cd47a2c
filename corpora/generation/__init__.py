"""New tasks of a benchmark's kind from a chat model: asked for, tested, compared, and kept for review."""

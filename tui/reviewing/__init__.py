"""The screen on which new tasks are reviewed."""

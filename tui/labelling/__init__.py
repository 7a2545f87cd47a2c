"""The screen on which a person scores texts, as the judge will."""

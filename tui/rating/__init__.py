"""The screens on which a person rates: scores texts as a judge will, reviews new tasks, or compares two solutions."""

"""The records of a run as flat rows, for other programs."""

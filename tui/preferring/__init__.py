"""The screen on which a rater compares two solutions, and says what the author of the other one should hear."""

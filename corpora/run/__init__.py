"""A corpus as a run: its tasks asked one by one, judged by their own tests, and summed up."""

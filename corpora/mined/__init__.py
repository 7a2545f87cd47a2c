"""A corpus mined from a repository: its file, its tasks, and their tests, which are those of the repository."""

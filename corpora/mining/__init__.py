"""Mining: a corpus of tasks from a repository with tests (Jiang et al. 2025, arXiv 2505.21514, section 3.1 and Algorithm 1)."""

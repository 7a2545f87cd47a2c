"""The agent of Codev-Bench (section 3.2 of its paper): from a tested repository to a corpus of blocks, in stages that can be resumed."""

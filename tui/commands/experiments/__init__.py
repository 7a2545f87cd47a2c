"""The command `experiment`: a file that names a matrix of runs, its cells, and what comes of them."""

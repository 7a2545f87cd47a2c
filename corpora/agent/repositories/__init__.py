"""The stage `choose`: repositories that may become a benchmark, each with the reasons for and against it (the paper's section 3.2, "Automated Repository Crawling")."""

"""Scenario 4 (the paper's section 4.1): the three functions of the repository that are most like the one at the cursor, as evidence in the prompt."""

"""What a corpus is like: tasks that are nearly the same, how various they are, and how its categories go together."""

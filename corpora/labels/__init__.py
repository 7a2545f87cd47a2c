"""Labels of tasks, computed from their code: which constructs they need, and how far away what they need stands."""

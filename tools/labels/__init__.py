"""Labels of SimCopilot's tasks beside those of its own analyser."""

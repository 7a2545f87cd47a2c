"""Model servers and a sandbox that stand in for real ones."""

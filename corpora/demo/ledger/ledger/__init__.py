"""A small expense ledger for the command line."""

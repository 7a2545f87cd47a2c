"""Repositories of packages of Node.js, as their files."""

import json


def repository(test, *, workspaces=None, scripts=None, **files):
    """A repository with a test script, a file of tests, and other files or folders of packages."""
    manifest = {"scripts": {"test": test} | (scripts or {}), "workspaces": workspaces}
    return {"package.json": json.dumps(manifest), "a.test.js": ""} | files

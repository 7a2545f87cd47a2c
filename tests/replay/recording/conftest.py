"""A recording into which a credential of each form comes."""

import pytest

from tests.support.redacted_recording import LINES, Folder


@pytest.fixture(params=LINES)
def line(request):
    """What stands before a credential in its line, the credential, what stands behind it."""
    form, secret = LINES[request.param]
    before, after = (
        form.replace("{{", "{").replace("}}", "}").split("{}") if "{{" not in form else form.format("\0").split("\0")
    )
    return before, secret, after


@pytest.fixture
def folder(tmp_path, line):
    return Folder(tmp_path, line[1])

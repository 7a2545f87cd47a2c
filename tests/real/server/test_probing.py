"""How soon a model server that is not there is found out."""

import socket
import time

import pytest

from server.errors import ProviderError
from server.providers.probing import probe
from server.settings import ProviderSettings


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
async def test_a_server_that_is_not_there_is_refused_soon(host):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = ProviderSettings(name="openai", base_url=f"http://{host}:{port}/v1", model="m", tries=1)
    began = time.monotonic()
    with pytest.raises(ProviderError, match=rf"{host}:{port}: no connection"):
        await probe(settings)
    assert time.monotonic() - began < 15

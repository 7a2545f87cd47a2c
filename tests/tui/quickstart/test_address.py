"""A user and password in an address are for git alone."""

import asyncio
import os
import subprocess

import pytest

from replay.tapes.git_environment import quiet_environment
from tui.commands.quickstart.repository import address_of, local_folder
from tui.errors import ConfigurationError

TOKEN = "ghp_SECRET"


@pytest.mark.parametrize(
    ("named", "text", "account"),
    [
        ("https://github.com/o/x.git", "https://github.com/o/x.git", ""),
        (f"https://ada:{TOKEN}@github.com/o/x.git", "https://github.com/o/x.git", f"ada:{TOKEN}"),
        (f"https://{TOKEN}@github.com/o/x", "https://github.com/o/x", TOKEN),
        (f"HTTPS://ada:{TOKEN}@host/x", "HTTPS://host/x", f"ada:{TOKEN}"),
        (f"http://ada:p@{TOKEN}@host:8080/x@1", "http://host:8080/x@1", f"ada:p@{TOKEN}"),
        ("https://host/@scope/x", "https://host/@scope/x", ""),
        ("ssh://git@host:22/x", "ssh://git@host:22/x", ""),
        (f"ssh://git:{TOKEN}@host/x", "ssh://git@host/x", f"git:{TOKEN}"),
        ("git@host:o/x.git", "git@host:o/x.git", ""),
        (f"ada:{TOKEN}@host/x", "host/x", f"ada:{TOKEN}"),
        ("/src/a@b", "/src/a@b", ""),
        ("../a:b", "../a:b", ""),
    ],
)
def test_user_and_password_are_parted_from_what_may_be_shown(named, text, account):
    found = address_of(named)
    assert (found.text, found.account) == (text, account)
    assert TOKEN not in repr(found)


@pytest.mark.parametrize("named", [f"https://a.b:{TOKEN}@host:80/x", f"https://{TOKEN}@host/x", f"ssh://git:{TOKEN}@host/x"])  # fmt: skip
def test_git_is_led_from_the_shown_address_to_the_whole_one(named):
    address = address_of(named)
    words = ["git", "ls-remote", "--get-url", address.text]
    environment = {**quiet_environment(os.environ), **address.environment}
    assert subprocess.check_output(words, env=environment, text=True).strip() == named
    assert address_of(address.text).environment == {}


@pytest.mark.parametrize(
    "said", ["could not read Password for 'https://{}@host': no", "https://ada:{}@host/x not found"]
)
@pytest.mark.parametrize("token", ["p%40ss", "p@ss", "pass"])
def test_what_git_says_loses_them_however_it_writes_them(said, token):
    address = address_of("https://p%40ss@host/x" if token != "pass" else "https://ada:pass@host/x")
    assert token not in address.cleaned(said.format(token))


@pytest.mark.parametrize("named", [f"https://ada:{TOKEN}/more@host/x", f"https://ada:1{TOKEN}?@host/x"])
def test_a_password_that_ends_the_host_is_refused_and_not_shown(named):
    with pytest.raises(
        ConfigurationError, match="write https://host/path, and in a user or password / as %2F"
    ) as caught:
        asyncio.run(local_folder(named))
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("named", ["ssh://git@[::1]:22/x", "https://host:80/x", "https://[::1]/x", "git://host/a:b"])
def test_ports_and_addresses_of_ipv6_are_well_formed(named):
    assert not address_of(named).is_malformed


def test_an_unknown_kind_of_address_is_refused_without_its_password():
    with pytest.raises(ConfigurationError, match=r"^ftp://host/x: it is neither a folder nor") as caught:
        asyncio.run(local_folder(f"ftp://ada:{TOKEN}@host/x"))
    assert TOKEN not in str(caught.value)

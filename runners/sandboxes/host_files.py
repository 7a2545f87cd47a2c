"""What every sandbox shows of this machine: programs and libraries, read-only, and nothing that is anyone's."""

from __future__ import annotations

from pathlib import Path

from runners.protocol import Mount

_OWN_ETC = Path(__file__).with_name("etc")
_NETWORK_ETC = Path(__file__).with_name("etc-network")
_MASKED = ("kcore", "keys", "key-users", "timer_list", "sched_debug", "latency_stats", "kallsyms", "sysrq-trigger")
_HOST_ETC = ("ld.so.cache", "alternatives", "java-*", "mono")
# How names are found, and whom TLS trusts; never the folders above, as the keys of servers lie beside certificates.
_HOST_NETWORK = (
    *("resolv.conf", "hosts", "host.conf", "gai.conf", "services", "protocols"),
    *("ssl/certs", "ssl/cert.pem", "pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust/extracted", "pki/java"),
    "ca-certificates/extracted",
)


def mounts(root: Path = Path("/"), *, network: bool = False) -> list[Mount]:
    """Return the folders and files to show read-only; with `network` also what programs need to use one."""
    folders = [root / "usr", *(path for path in _top(root) if not path.is_symlink())]
    etc = [path for pattern in _HOST_ETC for path in sorted((root / "etc").glob(pattern))]
    found = [Mount(path, f"/{path.relative_to(root)}") for path in (*folders, *etc)]
    own = {f"/etc/{path.name}": path for path in sorted(_OWN_ETC.iterdir())} | (_of_network(root) if network else {})
    return found + [Mount(path, target) for target, path in own.items()]


def _of_network(root: Path) -> dict[str, Path]:
    """Return by target the files and folders of the machine, behind their links, and our own."""
    there = {f"/etc/{name}": path.resolve() for name in _HOST_NETWORK if (path := root / "etc" / name).exists()}
    return there | {f"/etc/{path.name}": path for path in sorted(_NETWORK_ETC.iterdir())}


def links(root: Path = Path("/")) -> list[tuple[str, str]]:
    """Return the symbolic links to make, as (what it says, where it is); `/bin` is one on most systems."""
    return [(str(path.readlink()), f"/{path.name}") for path in _top(root) if path.is_symlink()]


def masked() -> list[str]:
    """Return the files of /proc that tell of the whole machine and are of no use to a test run."""
    return [f"/proc/{name}" for name in _MASKED if Path("/proc", name).exists()]


def _top(root: Path) -> list[Path]:
    return [path for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32") if (path := root / name).exists()]

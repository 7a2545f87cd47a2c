"""A real llama.cpp HTTP server in a process of its own, which runs until its standard input closes.

`with_fill_in_the_middle` makes a copy of a model that calls three of its tokens by the names that `/infill` asks for: it writes no
better for that, but the whole route can be gone.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ALIGNED, _STRING, _ARRAY = 32, 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


@contextmanager
def llama_server(model: Path, key: str = "") -> Iterator[tuple[str, subprocess.Popen]]:
    """Yield the address of a server of a GGUF file, and its process; with a key, it answers to nobody else."""
    command = [sys.executable, __file__, str(model), key]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, text=True, **pipes)
    try:
        address = process.stdout.readline().strip()
        assert address, f"the server of {model} ended with {process.wait()} before it listened"
        yield address, process
    finally:
        process.kill()
        process.communicate()


def serve(model: str, key: str) -> None:
    """Serve a GGUF file until standard input closes; the first line printed is the address."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx, parameters.n_parallel, parameters.verbosity, parameters.cache_ram_mib = 4096, 1, 0, 0
    parameters.n_batch = parameters.n_ubatch = 32
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.endpoint_slots = True
    if key:
        parameters.api_keys = [key]
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


def with_fill_in_the_middle(source: Path, target: Path) -> Path:
    """Copy a GGUF file with three more members in its header; tensors stay where they are, counted from their start."""
    data = source.read_bytes()
    magic, version, tensors, members = struct.unpack_from("<4sIQQ", data)
    at = end = 24
    for _ in range(members):
        at = end = _after_value(data, *_after_key(data, at))
    for _ in range(tensors):
        at = _after_tensor(data, at)
    ids = {"fim_pre": 3, "fim_suf": 4, "fim_mid": 5}
    added = b"".join(_member(f"tokenizer.ggml.{name}_token_id", number) for name, number in ids.items())
    head = struct.pack("<4sIQQ", magic, version, tensors, members + len(ids)) + data[24:end] + added + data[end:at]
    target.write_bytes(head + bytes(-len(head) % _ALIGNED) + data[at + -at % _ALIGNED :])
    return target


def _member(key: str, value: int) -> bytes:
    return struct.pack("<Q", len(key)) + key.encode() + struct.pack("<II", 4, value)


def _after_key(data: bytes, at: int) -> tuple[int, int]:
    """(kind of the value, where it begins)."""
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    return struct.unpack_from("<I", data, at)[0], at + 4


def _after_value(data: bytes, kind: int, at: int) -> int:
    if kind == _STRING:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != _ARRAY:
        return at + _SIZES[kind]
    inner, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if inner in _SIZES:
        return at + count * _SIZES[inner]
    for _ in range(count):
        at = _after_value(data, inner, at)
    return at


def _after_tensor(data: bytes, at: int) -> int:
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    return at + 4 + 8 * struct.unpack_from("<I", data, at)[0] + 12


if __name__ == "__main__":
    serve(*sys.argv[1:])

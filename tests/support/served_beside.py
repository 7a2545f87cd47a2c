"""A server of an event loop, for a test that runs the program in this thread."""

import asyncio
import threading
from contextlib import contextmanager


@contextmanager
def beside(server):
    """Enter an asynchronous context manager in the event loop of a thread of its own, until the end of the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

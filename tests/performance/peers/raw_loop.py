"""The floor: JSON-RPC in a bare asyncio loop that keeps no document and answers every request with the same item."""

import asyncio
import sys

import msgspec

ITEM = {"insertText": "return 1"}


async def serve() -> None:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while head := await reader.readuntil(b"\r\n\r\n"):
        message = msgspec.json.decode(await reader.readexactly(int(head.split(b":")[1].split(b"\r\n")[0])))
        if message.get("method") == "exit":
            return
        if "id" in message:
            body = msgspec.json.encode({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)})
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            sys.stdout.buffer.flush()


def answer(message: dict) -> object:
    if message["method"] == "textDocument/inlineCompletion":
        here = {"start": message["params"]["position"], "end": message["params"]["position"]}
        return [{**ITEM, "range": here}]
    return {"capabilities": {}} if message["method"] == "initialize" else None


if __name__ == "__main__":
    asyncio.run(serve())

"""Large runs."""

from replay.records import Ending, Moment, Record, Suggestion, Verdict


def real(event):
    moment = Moment(tape="cart", event=event, path=f"src/file{event}.py", language="python", offset=event, line=event, character=4, t=1.0, kind="if", scenario="full", before="x = 1\n" * 100, truth="return x")  # fmt: skip
    offered = Suggestion(
        text=f"return {event}", start=event, end=event, latency=80.0 + event, raw=f"return {event}", prompt="p" * 500
    )
    return Record(moment=moment, ending=Ending("accepted" if event % 2 else "rejected"), suggestion=offered, verdict=Verdict(name="passed" if event % 3 else "failed", log="line\n" * 50))  # fmt: skip

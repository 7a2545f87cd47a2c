"""What the logs of real recordings say by themselves, read without the importer."""

import json
from collections import Counter


def log_of(path):
    """The entries of a recording."""
    return json.loads(path.read_text(encoding="utf-8"))["log"]


def counted(paths):
    """The changes in recordings, and the checkpoints: texts that are restored, or given again for a known document."""
    kinds = Counter(entry["kind"] for path in paths for entry in log_of(path))
    return kinds["changed"], kinds["restoreContent"] + kinds["setContent"] - kinds["documentEncountered"]


def ends_of(log):
    """What the log says of the ends of its requests."""
    return [entry["data"] for entry in log if entry["kind"] == "event" and entry["data"].get("kind") == "end"]


def sources_of(log):
    """How often each source is named as the reason of a change."""
    reasons = (entry["data"] for entry in log if entry["kind"] == "documentEvent")
    return Counter(one["source"] for one in reasons if one["sourceId"] == "TextModel.setChangeReason")


def kaplan_meier(ends):
    """By how many ms which share of requests has been answered: those that were given up would have been answered later."""
    times = sorted((end["durationMs"], "error" in end) for end in ends)
    left, alive, curve = len(times), 1.0, []
    for at, given_up in times:
        alive *= 1.0 if given_up else 1 - 1 / left
        left -= 1
        curve.append((at, 1 - alive))
    return curve

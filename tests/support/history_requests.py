"""Requests for tapes of a made-up repository, in one line."""

from corpora.history import CommitSelection, HistoryRequest, import_history


def request(repository, out, revisions="", *, order="oldest", **options):
    """A request for the commits of a range; options of the selection and of the request may be mixed."""
    chooses = {"since", "author", "last", "sample", "merges"}
    selection = CommitSelection(revisions, **{name: options.pop(name) for name in chooses & options.keys()})
    return HistoryRequest(str(repository), out, selection, order=order, **options)


def imported_tapes(repository, revisions, seed, out, notify=lambda _: None, **options):
    """The report of an import, the oldest commit first."""
    return import_history(request(repository, out, revisions, seed=seed, **options), notify)

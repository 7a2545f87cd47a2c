"""The names of real recordings, for tests that take each of them."""

LONG = "EditSourceTracker.test1.recording.w.json"
"""92 minutes, 14,341 entries: only in `../shared/data`."""
BEGINNING = "EditSourceTracker.beginning.recording.w.json"
"""The first 3,200 entries of it: only in `tests/excerpts`."""
SMALL = (
    "1-point.ts__recording.w.json",
    "10-update-name-in-same-cell-of-notebook__recording.w.json",
    "11-update-name-in-next-cell-of-notebook__recording.w.json",
    "2-helloworld-sample-remove-generic-parameter__recording.w.json",
    "5-devcontainers.github.io-part-1__recording.w.json",
    "6-vscode-remote-try-java-part-1__recording.w.json",
    "6-vscode-remote-try-java-part-2__recording.w.json",
    "8-cppIndividual-1-point.cpp__recording.w.json",
    "8-cppIndividual-2-collection-farewell__recording.w.json",
    "9-cppProject-add-header-expect-implementation__recording.w.json",
    "9-cppProject-add-implementation-expect-header__recording.w.json",
    "ArrayToObject.recording.w.json",
    "ChangePointToPoint3D.recording.w.json",
    "DeclaringConstructorArgument.recording.w.json",
    "RejectionCollector.test1.w.json",
)
NAMES = (*SMALL, BEGINNING)
"""The recordings of `tests/excerpts`."""

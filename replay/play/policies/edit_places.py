"""The moments of policy `edits`: the state after each group of a person's edits, and what they did next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from replay.play.policies.block_places import MomentPlace
from replay.play.policies.edit_groups import EditGroup, Grouping, edit_groups
from replay.records import DocumentChange, NextEdit
from replay.tapes.clock import virtual_times
from replay.tapes.file_kinds import file_kind
from replay.tapes.timeline import Timeline


def edit_places(timeline: Timeline, grouping: Grouping) -> Iterator[MomentPlace]:
    """The moments, in the order of the tape: after each group of edits. They depend on time only in what makes a group.

    There is none where the document of the next group is not open then, or has other changes before it (somebody else's, what was taken back,
    what came and went): what the person did next is then no change of a text that an assistant can see. Nor is there one where the next group
    changes a test or a generated file, or where the tape ends too soon to tell whether something follows.
    """
    for group, following in _pairs(timeline, grouping):
        if not _is_no_moment(timeline, grouping, group, following):
            yield MomentPlace(
                event=group.last + 1,
                path=group.path,
                offset=group.cursor,
                stop="auto",
                kind=(next_edit := _next_edit(grouping, group, following)).kind,
                scenario="",
                next_edit=next_edit,
            )


def _pairs(timeline: Timeline, grouping: Grouping) -> Iterator[tuple[EditGroup, EditGroup | None]]:
    """Each group with the one that follows it in time."""
    groups = list(edit_groups(timeline, grouping))
    for group, following in zip_longest(groups, groups[1:]):
        in_time = following is not None and following.began - group.ended <= grouping.horizon
        yield group, following if in_time else None


def _is_no_moment(timeline: Timeline, grouping: Grouping, group: EditGroup, following: EditGroup | None) -> bool:
    """Whether it cannot be told, or not be judged, what the person did behind a group."""
    if following is None:
        return virtual_times(timeline.tape.events)[-1] - group.ended < grouping.horizon
    if following.path not in group.open_paths or file_kind(following.path, timeline.final[following.path]):
        return True
    between = timeline.since(following.path, group.last + 1)
    return next((index for index, _ in between), following.first) < following.first


def _next_edit(grouping: Grouping, group: EditGroup, following: EditGroup | None) -> NextEdit:
    if following is None:
        return NextEdit(kind="silence")
    lines = abs(following.begins - group.stops) if following.path == group.path else None
    return NextEdit(
        kind="jump" if lines is None or lines > grouping.near else "near",
        changes=tuple(DocumentChange(following.path, *change) for change in following.changes),
        until=following.last + 1,
        lines=lines,
    )

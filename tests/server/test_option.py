"""What a declared field is to a run: a part of its identity, or none."""

from typing import Annotated

import msgspec

from server.option import Option, declarations, identity


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    speed: Annotated[int, Option(changes_results=False)] = 1
    size: Annotated[int, Option()] = 2
    plain: int = 3


class Outer(msgspec.Struct, frozen=True, kw_only=True):
    inner: Inner = Inner()
    later: Annotated[tuple[str, ...], Option(is_later=True)] = ()


class Narrower(Outer, frozen=True, kw_only=True):
    later: Annotated[tuple[str, ...], Option()] = ()


def test_what_changes_no_result_is_left_out_at_any_depth():
    assert identity(Outer(inner=Inner(speed=9, size=8))) == {"inner": {"size": 8, "plain": 3}}


def test_a_later_field_is_left_out_while_it_has_its_default():
    assert identity(Outer(later=("a",)))["later"] == ("a",)
    assert "later" not in identity(Outer(later=()))


def test_a_field_that_is_declared_again_has_the_later_declaration():
    assert identity(Narrower())["later"] == ()
    assert list(declarations(Narrower)) == ["later"]
    assert list(declarations(Inner)) == ["speed", "size"]

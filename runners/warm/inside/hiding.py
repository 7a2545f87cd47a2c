"""Modules that are imported already, yet not there: an import brings each one back with just what it imports itself.

A package has its submodules as attributes once anything has imported them. A program that uses one without importing it
must fail as it does in a fresh interpreter, and may use those that come with what it imports. So it is recorded who
imports whom, everything is put away again, and what an import finds is put back by that record, without running it.
"""

import builtins
import sys


class Hidden:
    """Records imports from when it is made; after `put_away`, a finder of `sys.meta_path` that finds what was put away."""

    def __init__(self) -> None:
        """Begin to record. What is imported by now stays where it is."""
        self._fresh = frozenset(sys.modules)
        self._imports: dict[str, set[str]] = {}
        self._modules: dict[str, object] = {}
        self._attributes: dict[str, tuple[object, str]] = {}
        self._import = builtins.__import__
        builtins.__import__ = self._recorded

    def _recorded(self, name, globals=None, locals=None, fromlist=(), level=0):  # type: ignore[no-untyped-def] # noqa: A002, ANN001, ANN202
        """Import as `builtins.__import__` does, and note for whom: the module whose body is being run."""
        before = set(sys.modules)
        found = self._import(name, globals, locals, fromlist, level)
        package = (globals or {}).get("__package__") or (globals or {}).get("__name__", "")
        base = ".".join(package.split(".")[: len(package.split(".")) - level + 1]) if level else ""
        whole = ".".join(part for part in (base, name) if part)
        mine = self._imports.setdefault(_importer(), set())
        mine.update(set(sys.modules) - before, {whole}, (f"{whole}.{one}" for one in fromlist or ()))
        return found

    def put_away(self, *own: str) -> None:
        """Stop recording and hide all that was imported, also since the last time; what is named is dropped for good."""
        builtins.__import__ = self._import
        for name in own:
            sys.modules.pop(name, None)
        for name in sorted(set(sys.modules) - self._fresh):
            module = self._modules[name] = sys.modules.pop(name)
            parent, _, child = name.rpartition(".")
            if parent:
                self._take_off(module, name, parent, child)
        finders: list[object] = sys.meta_path  # type: ignore[assignment] # this is a finder by what it does
        if self not in finders:
            finders.insert(0, self)

    def _take_off(self, module: object, name: str, parent: str, child: str) -> None:
        owner = self._modules.get(parent) or sys.modules.get(parent)
        self._imports.setdefault(name, set()).add(parent)
        if getattr(getattr(module, "__spec__", None), "name", "") != name:
            self._imports.setdefault(parent, set()).add(name)  # its parent's body made it
        elif owner is not None and vars(owner).get(child) is module:
            self._attributes[name] = (owner, child)
            delattr(owner, child)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> object:
        """Find a module that was put away; None for others."""
        if name not in self._modules or name in sys.modules:
            return None
        module = self._modules[name]
        spec, own = type(sys.__spec__)(name, self), getattr(module, "__spec__", None)  # type: ignore[arg-type]
        if own is not None:  # `python -m` runs it by these
            spec.origin, spec.cached, spec.has_location = own.origin, own.cached, own.has_location
        spec.submodule_search_locations = getattr(module, "__path__", None)  # and asks which are packages
        return spec

    def get_code(self, name: str) -> object:
        """Return the code of a module that was put away, for `python -m`."""
        return self._modules[name].__spec__.loader.get_code(name)  # type: ignore[attr-defined]

    def create_module(self, spec: object) -> object:
        """Give the module itself, which the import then puts into its place and gives this `__spec__`."""
        module = self._modules[spec.name]  # type: ignore[attr-defined]
        spec.loader_state = module.__spec__  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: object) -> None:
        """Run nothing: put back all that the module imports, and its own `__spec__`."""
        spec = module.__spec__  # type: ignore[attr-defined]
        module.__spec__ = spec.loader_state  # type: ignore[attr-defined]
        wanted = [spec.name]
        while wanted:
            name = wanted.pop()
            if name not in self._modules or (name in sys.modules and name != spec.name):
                continue
            sys.modules[name] = one = self._modules.pop(name)  # type: ignore[assignment]
            if name in self._attributes:
                setattr(*self._attributes[name], one)
            wanted += self._imports.get(name, ())


def _importer() -> str:
    """Return the name of the module whose body runs, in which an import stands or by which it was called for."""
    frame = sys._getframe(2)  # noqa: SLF001
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back  # type: ignore[assignment]
    return str(frame.f_globals.get("__name__", "")) if frame else ""

"""A project's files on disk: laid out, copied, and changed without ever leaving the project's folder."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from runners.errors import PathRefused

_FICLONE = 0x40049409
_NEVER = {errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL, errno.ENOSYS, errno.EXDEV, errno.EPERM}
_CANNOT_SHARE: set[int] = set()  # devices that have said so

_DEEP = 64
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def write_all(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write texts or bytes at paths relative to the folder; newlines stay as they are, lone surrogates are kept as bytes.

    A program may have put symbolic links in the folder: none is followed. Raises `PathRefused`.
    """
    for name, text in files.items():
        file = place_of(folder, name)
        file.unlink(missing_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def place_of(folder: Path, name: str) -> Path:
    """Return where a file of a project goes, having made the folders above it. Raises `PathRefused` if that is not in the folder."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise PathRefused(f"the project file {name!r} does not lie in the project: give a path relative to its root")
    place = folder
    for part in path.parts[:-1]:
        place /= part
        if place.is_symlink() or place.is_file():
            raise PathRefused(f"the project file {name!r} lies under {part!r}, which is not a folder")
        place.mkdir(exist_ok=True)
    if (place / path.name).is_dir() and not (place / path.name).is_symlink():
        raise PathRefused(f"the project file {name!r} is a folder already")
    return place / path.name


def copy_tree(source: str | Path, target: str | Path) -> None:
    """Copy folders, files (with their times and modes) and symbolic links as links; nothing else (pipes, sockets)."""
    try:
        _copy_tree(source, target)
    except RecursionError as error:
        raise OSError(errno.ENAMETOOLONG, "its folders are nested too deeply", str(source)) from error


def copy_into(source: str | Path, target: str | Path) -> None:
    """Copy what a folder holds into another one, which is there and empty, as `copy_tree` does."""
    try:
        _copy_entries(source, target)
    except RecursionError as error:
        raise OSError(errno.ENAMETOOLONG, "its folders are nested too deeply", str(source)) from error


def _copy_tree(source: str | Path, target: str | Path) -> None:
    os.mkdir(target)  # noqa: PTH102 - strings and os calls: this runs before every test run
    _copy_entries(source, target)
    shutil.copystat(source, target)


def _copy_entries(source: str | Path, target: str | Path) -> None:
    with os.scandir(source) as entries:
        for entry in entries:
            path = f"{target}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), path)  # noqa: PTH115, PTH211
            elif entry.is_dir():
                _copy_tree(entry.path, path)
            elif entry.is_file():
                _copy_file(entry.path, path)


def _copy_file(source: str, target: str) -> None:
    """Copy one file as shutil.copy2 does, without its many questions about attributes (40 % less time)."""
    reader = os.open(source, os.O_RDONLY)
    try:
        about = os.fstat(reader)
        writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not _shared(reader, writer, about.st_dev):
                while os.sendfile(writer, reader, None, 1 << 30):  # None: go on where it stands
                    pass
            os.fchmod(writer, about.st_mode & 0o777)
            os.utime(writer, ns=(about.st_atime_ns, about.st_mtime_ns))
        finally:
            os.close(writer)
    finally:
        os.close(reader)


def _shared(reader: int, writer: int, device: int) -> bool:
    """Let the copy share the original's blocks until one of them is written, where the file system can (btrfs, XFS)."""
    if device in _CANNOT_SHARE:
        return False
    try:
        fcntl.ioctl(writer, _FICLONE, reader)
    except OSError as error:
        if error.errno in _NEVER:
            _CANNOT_SHARE.add(device)
        return False
    return True


def remove_content(folder: Path) -> None:
    """Remove what a folder holds; the folder stays the same."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            remove_tree(path)
        else:
            path.unlink()


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it; what is not ours to remove stays, without an error."""
    try:
        _remove(str(folder), None, _DEEP)
    except OSError:  # the quick way is for what honest programs leave
        _remove_flat(folder)


def _remove(name: str, parent: int | None, levels: int) -> None:
    """Remove a folder of no more levels, each of which takes an open file: shutil.rmtree takes all that this process may have."""
    if not levels:
        raise OSError(errno.ENAMETOOLONG, "its folders are nested deeply", name)
    handle = os.open(name, _FOLDER, dir_fd=parent)
    try:
        with os.scandir(handle) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                _remove(entry.name, handle, levels - 1)
            else:
                os.unlink(entry.name, dir_fd=handle)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=parent)


def _remove_flat(folder: Path) -> None:
    """Empty one folder after the other, moving each folder in it to the top first: no path and no stack gets long."""
    with suppress(OSError):
        folder.chmod(0o700)
    with suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            while _lower(top):
                pass
        finally:
            os.close(top)
        folder.rmdir()


def _lower(top: int) -> bool:
    """Empty each folder at the top, and remove it; say whether anything has been done."""
    done = False
    for name in os.listdir(top):
        with suppress(OSError):
            if _is_folder(name, top):
                done |= _empty(name, top)
                os.rmdir(name, dir_fd=top)
            else:
                os.unlink(name, dir_fd=top)
            done = True
    return done


def _empty(name: str, top: int) -> bool:
    """Remove the files of a folder and move its folders to the top; say whether there were any."""
    done = False
    folder = os.open(name, _FOLDER, dir_fd=top)
    try:
        for inner in os.listdir(folder):  # noqa: PTH208 - of an open folder
            with suppress(OSError):
                if _is_folder(inner, folder):
                    os.rename(inner, f"moved-{secrets.token_hex(8)}", src_dir_fd=folder, dst_dir_fd=top)
                else:
                    os.unlink(inner, dir_fd=folder)
                done = True
    finally:
        os.close(folder)
    return done


def _is_folder(name: str, parent: int) -> bool:
    """Say whether the entry is a folder, and give us the rights in it if so."""
    about = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if not stat.S_ISDIR(about.st_mode):
        return False
    if about.st_mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=parent)
    return True

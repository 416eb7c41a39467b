"""The errors a user can meet: each message names the thing, what was expected, what was found and the remedy."""

import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class AbutError(Exception):
    """Base of every error abut raises on purpose; the command line prints it as one sentence."""


class InputError(AbutError, ValueError):
    """An argument that cannot be used."""


class SettingError(InputError, AttributeError):
    """An attribute, or an entry of an array, that cannot be set."""


class ShapeError(InputError):
    """An array of the wrong shape."""


class FileError(AbutError):
    """A file that cannot be read, or is not what its name says."""


class StoppedError(AbutError):
    """A step that could not go on: the world stands at `time` [s], as far as it came, and can be saved there.

    `bodies` are the names of those that are in the way of going on.
    """

    def __init__(self, fault: str, time: float, bodies: tuple[str, ...], remedy: str) -> None:
        self.time, self.bodies = time, bodies
        self.moment: object = None
        """What a world goes on from, for those who make it."""
        between = f" between {' and '.join(map(repr, bodies))}" if bodies else ""
        super().__init__(f"at {time:.9g} s{between}: {fault}; the world stands there now: save it, and {remedy}")


class AbutWarning(UserWarning):
    """Base of every warning of abut; the command line prints it as one sentence."""


class RunWarning(AbutWarning):
    """A run that did not go as asked: time was given up, bodies were frozen, kinematic bodies overlap others."""


class AssemblyWarning(AbutWarning):
    """An assembly that is not as drawn: some of its parts pass through each other."""


class MissingExtraError(AbutError, ImportError):
    """An optional package that the request needs is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed; "
            f"install it with: pip install 'abut[{extra}]'"
        )


class LoadWarning(AbutWarning):
    """A file that was read, but probably not as it was meant."""


def unreadable(file: object, error: OSError) -> FileError:
    """A file that the system does not hand out, with the remedy."""
    if isinstance(error, FileNotFoundError):
        return FileError(f"{file}: there is no such file; check the spelling and the folder")
    if isinstance(error, IsADirectoryError):
        return FileError(f"{file}: is a folder, expected a file; name one of the files in it")
    remedy = "; check its permissions" if isinstance(error, PermissionError) else ""
    return FileError(f"{file}: cannot be read ({error.strerror}){remedy}")


def meant(name: object, known: Iterable[str]) -> str:
    """` (did you mean ...?)`, where a known name looks like a mistyped one."""
    alike = get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {alike[0]!r}?)" if alike else ""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's program that called abut, however deep inside abut the reason was found."""
    inside, depth = f"{Path(__file__).parent}{os.sep}", 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)

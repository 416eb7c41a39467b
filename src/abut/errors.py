"""The errors a user can meet: each message names the thing, what was expected, what was found and the remedy."""


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


class RunWarning(UserWarning):
    """A run that did not go as asked: time was given up, bodies were frozen, kinematic bodies overlap others."""


class MissingExtraError(AbutError, ImportError):
    """An optional package that the request needs is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed; "
            f"install it with: pip install 'abut[{extra}]'"
        )

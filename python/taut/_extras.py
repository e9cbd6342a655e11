"""Packages that parts of taut need, and the extras that install them."""


def missing(what: str, error: ModuleNotFoundError, extra: str) -> ModuleNotFoundError:
    """The failure of an import, in a sentence that tells what to install."""
    package = (error.name or "").partition(".")[0]
    return ModuleNotFoundError(f"{what} needs {package}, which is not installed: pip install 'taut[{extra}]'", name=error.name)

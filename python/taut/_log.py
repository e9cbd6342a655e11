"""What the library tells, for the logger `taut`."""

import logging

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING}
_logger = logging.getLogger("taut")


def tell(level: str, sentence: str) -> None:
    _logger.log(_LEVELS.get(level, logging.WARNING), "%s", sentence)

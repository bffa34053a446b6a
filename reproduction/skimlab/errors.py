"""The one exception of this package."""


class LabError(Exception):
    """Something outside of the program is wrong: a file, an option, another program. The message says what to do."""

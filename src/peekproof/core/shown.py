"""Text as people read it, wherever it comes from.

Questions, names of columns and analysts, categories, and whatever a gateway says may hold codes
that a terminal obeys, or that turn the order of what is read. Everything that reaches a terminal
or a notebook goes through here.
"""

from unicodedata import category

# Of the controls, those that only end a line or set words apart.
_SPACES = "\n\t"
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text on one line: white space is a space, what is not printable spelled out (\\x1b).

    Joiners stay where they belong to what is written: within words of many scripts, and in emoji.
    """
    if text.isprintable():
        return text
    around = zip(" " + text[:-1], text, text[1:] + " ", strict=True)
    return "".join(_seen(*each) for each in around)


def _seen(before: str, each: str, after: str) -> str:
    if each.isprintable():
        return each
    if each in _SPACES or category(each) == "Zs":
        return " "
    if each in _JOINERS and _joined(before) and _joined(after):
        return each
    return _spelled(ord(each))


def _joined(each: str) -> bool:
    """Whether it is a letter, a mark on one, or a symbol as emoji are."""
    kind = category(each)[0]
    return kind in "LM" or (kind == "S" and not each.isascii())


def visible_lines(text: str) -> str:
    """The same for text that has lines, which stay."""
    return "\n".join(map(visible, text.split("\n")))


def _spelled(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

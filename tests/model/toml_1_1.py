"""TOML 1.1 as TOML 1.0: a second implementation of what came with 1.1.

`reduced(text)` has the same values, written as in TOML 1.0: an inline table on one line, without comments and without
a comma behind the last value; the escapes \\e and \\x41 as \\u001b and \\u0041; times with seconds. A text that TOML 1.1
forbids stays one that TOML 1.0 forbids.
"""
import re

TIME = re.compile(r"((?:\d{4}-\d\d-\d\d[Tt])?\d\d:\d\d)((?:[Zz]|[+-]\d\d:\d\d)?)")
WORD = re.compile(r"[A-Za-z0-9_+.:-]+")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def end_of_line(text, at):
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def next_of_any_line(text, at):
    """Returns the next character that is neither blank nor part of a comment or line end."""
    while at < len(text):
        if text[at] == "#":
            at = end_of_line(text, at)
        elif text[at] in " \t\n" or text.startswith("\r\n", at):
            at += 1
        else:
            return text[at]
    return ""


def string_at(text, at):
    """Returns the string that begins there, as it is and reduced."""
    quote = text[at]
    marks = quote * 3 if text.startswith(quote * 3, at) else quote
    end, out = at + len(marks), marks
    while end < len(text):
        if text.startswith(marks, end):
            if len(marks) == 3:
                while text.startswith(marks, end + 1):
                    out, end = out + quote, end + 1
            return text[at:end + len(marks)], out + marks
        if len(marks) == 1 and text[end] == "\n":
            break
        if quote == '"' and text[end] == "\\":
            found = re.match(r"\\(?:x([0-9A-Fa-f]{2})|(e))", text[end:])
            piece = text[end:end + 2] if not found else found.group()
            out += piece if not found else "\\u00" + (found.group(1) or "1b")
            end += len(piece)
            continue
        out, end = out + text[end], end + 1
    return text[at:end], out


def reduced(text):
    out, opened, before, at, is_header = "", [], "", 0, False
    while at < len(text):
        c, in_table = text[at], opened[-1:] == ["{"]
        piece = new = c
        if c in "\"'":
            piece, new = string_at(text, at)
        elif c == "#":
            piece = new = text[at:end_of_line(text, at)]
            if in_table and not CONTROL.search(piece.removesuffix("\r")):
                piece, new = piece.removesuffix("\r"), ""
        elif c == "\n" or text.startswith("\r\n", at):
            piece = new = c if c == "\n" else "\r\n"
            if in_table and (before in "{," or next_of_any_line(text, at) in (",", "}")):
                new = " "
        elif c == "," and in_table and before not in "{," and next_of_any_line(text, at + 1) == "}":
            new = ""
        elif WORD.match(c):
            piece = new = WORD.match(text, at).group()
            time = TIME.fullmatch(piece)
            if time:
                new = time.group(1) + ":00" + time.group(2)
        is_header = is_header and "\n" not in piece if opened or c != "[" else is_header or is_first(text, at)
        if c in "[{" and not is_header:
            opened.append(c)
        elif c in "]}" and not is_header and opened:
            opened.pop()
        if piece.strip() and c != "#":
            before = piece[-1]
        out, at = out + new, at + len(piece)
    return out


def is_first(text, at):
    """Returns whether only blanks stand before it on its line."""
    return not text[text.rfind("\n", 0, at) + 1:at].strip(" \t")

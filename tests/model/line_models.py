"""Second implementations of readers for the formats that are made of lines; and random documents.

The models are: for INI Python's configparser; for systemd's units systemd.syntax(7), with several files as if they
were one; for keyfiles GKeyFile's documentation; for environment files both docker compose (compose-go's dotenv)
and systemd (EnvironmentFile=); and java.util.Properties' documentation.
"""

import configparser
import re


class Refused(Exception):
    pass


def pick(chance, *words):
    return chance.choice(words)


def put(tree, section, key, value):
    (tree if section is None else tree[section])[key] = value


# ---- INI

def ini_document(chance):
    lines = []
    for _ in range(chance.randrange(12)):
        lines.append(pick(chance, "", "", "  ", "    ") + pick(
            chance, "", "; c", "# c=d", "[a]", "[a b]", "[b] ; c", "[b", "[]",
            pick(chance, 'a', 'k', 'x y', 'K') + pick(chance, '=', ' = ', '= ')
            + pick(chance, '', '1', 'yes', 'x = y', '"q" ; c', ' a  b ', 'ä', '[z]'),
            "k=1", "y = 2", "skip", "=1"))
    return "\n".join(lines) + pick(chance, "", "\n", "\n\n")


class Assignments(dict):
    """The assignments of a section, with the earlier values of a key."""

    def __setitem__(self, key, value):
        if key in self and (value is None or isinstance(value, list)):
            self.__dict__.setdefault("again", []).append((self[key], value, key))
        super().__setitem__(key, value)

    def loses(self):
        def text(value):
            return value and "\n".join(value).rstrip()
        again = self.__dict__.get("again", [])
        # configparser itself assigns each None once more.
        alone = [key for _, value, key in again if value is None]
        return any(text(before) != text(after) or text(after) == "" for before, after, _ in again) or (
            len(set(alone)) < len(alone))


def ini_model(text):
    for line in text.split("\n"):
        if re.match(r"\s*\[(\]|[^]]*$)", line):
            # A header that does not end is a key to configparser, unless it is the continuation of a value.
            raise LookupError
    parser = configparser.RawConfigParser(allow_no_value=True, strict=False, delimiters=("=",),
                                          default_section="\1", interpolation=None, dict_type=Assignments)
    parser.optionxform = str
    try:
        parser.read_string("[\2]\n" + text)
    except AttributeError:
        raise LookupError  # it can't read a continuation of a key without a value
    except configparser.Error as error:
        raise Refused(error)
    if any(section.loses() for section in parser._sections.values()):
        raise Refused("a key comes again with another value")
    tree = dict(parser["\2"])
    for name in parser.sections():
        if name == "\2":
            continue
        if name in tree:
            raise Refused("key and section " + name)
        tree[name] = dict(parser[name])
    return tree


# ---- systemd

LISTS = {"Address", "Route"}


def systemd_document(chance):
    lines = ["[Unit]"] if chance.random() < 0.9 else []
    for _ in range(chance.randrange(12)):
        lines.append(pick(chance, "", "", "  ") + pick(
            chance, "", "# c", "; c \\", "[Unit]", "[Service]", "[Address]", "[Route]", "[x y]",
            *[pick(chance, "A", "B", "C d") + pick(chance, "=", " = ")
              + pick(chance, "", "", "1", "2", "x=y # z", "a  b", '"q"', "ä")
              + pick(chance, "", "", "", " ", "\\", " \\", "\\\\") for _ in range(6)],
            pick(chance, "A", "=1", "[Unit] x", "[Unit") if chance.random() < 0.05 else "A=1"))
    return "\n".join(lines) + pick(chance, "", "\n", "\r\n")


def systemd_lines(text):
    """Removes comments, also between lines that are one."""
    joined = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if re.match(r"\s*[#;]", line):
            continue
        line = line if joined is None else joined + line
        if re.search(r"(?<!\\)(\\\\)*\\$", line):
            joined = line[:-1] + " "
            continue
        joined = None
        yield line.strip()
    if joined is not None:
        yield joined.strip()


def systemd_model(*texts):
    tree, section = {}, None
    for text in texts:
        section = None
        for line in systemd_lines(text):
            if not line:
                continue
            if line[0] == "[":
                if not re.fullmatch(r"\[[^]]+\]", line):
                    raise Refused(line)
                name = line[1:-1]
                if name in LISTS:
                    section = {}
                    tree.setdefault(name, []).append(section)
                else:
                    section = tree.setdefault(name, {})
                continue
            key, equals, value = line.partition("=")
            if section is None or not equals or not key:
                raise Refused(line)
            values = section.setdefault(key.strip(), [])
            if not value.strip():
                values.clear()
            values.append(value.strip())

    def simple(sections):
        return {key: values[0] if len(values) == 1 else values for key, values in sections.items()}
    return {name: [simple(each) for each in value] if isinstance(value, list) else simple(value)
            for name, value in tree.items()}


# ---- keyfile

def keyfile_document(chance):
    lines = ["[a]"] if chance.random() < 0.9 else []
    for _ in range(chance.randrange(10)):
        lines.append(pick(chance, "", "", "  ") + pick(
            chance, "", "# c", "[a]", "[b c] ", "[ä]",
            *[pick(chance, "k", "K-1", "k[de]", "k[de_DE@x]", "x y") + pick(chance, "=", " = ")
              + pick(chance, "", "1;2;", "\\s\\n", "x = [y] ", "ä # c") for _ in range(4)],
            pick(chance, "k", "=1", "[b]x", "[b", "[]", "k[=1", "k]=1", ";c", "[x[y]") if chance.random() < 0.1
            else "k=2"))
    return "\n".join(lines) + pick(chance, "", "\n", "\r\n")


def keyfile_model(text):
    tree, group = {}, None
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.lstrip()
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            found = re.fullmatch(r"\[([^][\0-\x1f\x7f]+)\]\s*", line)
            if not found:
                raise Refused(line)
            group = tree.setdefault(found.group(1), {})
            continue
        key, equals, value = line.partition("=")
        key = key.rstrip()
        if not equals or group is None or not re.fullmatch(r"[^][=]+(\[[\w.@-]*\])?", key):
            raise Refused(line)
        group[key] = value.lstrip()
    return tree


# ---- environment files

def env_document(chance):
    lines = []
    for _ in range(chance.randrange(8)):
        value = pick(
            chance, "", "1", "yes", "a b", "a b # c", "x#y", "a\\b", "'a b' # c", "'a\\nb $X'", "\"a b\"",
            "\"a\\n\\t\\\"\\\\ \\q\"", "\"$X ${Y}\"", "$X", "\"\\$X\"",
            "\"\\$X $Y $$Z\"", "$$X", "\"\\0101\\0351\\01\\0777\\09\"", "'it\\'s $X \\\\'",
            "'a\nb'", "\"a\n# b\n\"", "ä", "'ä\\'",
            "\u00a0x\u00a0", "\u3000x\u2028", "x\u00a0# c", "'a\r\nb'\r", "\"a\" \u00a0D=d # c", "'a'\texport\tE = \"e\nf\" A=x",
            "'it'\"s\"" if chance.random() < 0.05 else "''", "\"" if chance.random() < 0.02 else "\"\"")
        lines.append(pick(
            chance, "", "# c", " ; c",
            *[pick(chance, "", "", "export ", "  ") + pick(chance, "A", "B_1", "C", "Ä", "a[1]")
              + pick(chance, "=", " = ", ": ", ":", "\u00a0=\u00a0") + value for _ in range(5)],
            pick(chance, "A", "A B=1", "=1", "export =1", "\u2003F=f") if chance.random() < 0.2 else "A=1"))
    return "\n".join(lines) + pick(chance, "", "\n")


def compose_model(text, variables=False):
    """compose-go's dotenv; with `variables` each "$" that stands for a variable is marked."""
    tree, at = {}, 0
    mark = "\3" if variables else "$"

    def octal(digits):
        is_one = re.fullmatch("[0-7]{3}", digits) and 0 < int(digits, 8) < 256
        return chr(int(digits, 8)) if is_one else "\\" + digits

    def escaped(match, dollar):
        if match[1]:
            return octal(match[2])
        if match[3]:
            return dollar if match[3] == "$" else names.get(match[3], match[3])
        return marked(match[0])

    def marked(dollars):
        return dollars if not variables else "$" if dollars == "$$" else mark

    blank = r"[ \t\r\x85\xa0]"
    while True:
        at += len(re.match(r"(\s|[#;][^\n]*)*", text[at:]).group())
        if at == len(text):
            return tree
        found = re.match(rf"(?:export[ \t]{blank}*(?=[\w.\[\]=:-]))?([\w.\[\]-]*){blank}*([=:]{blank}*|(?=\n|$))", text[at:])
        if not found or not found.group():
            raise Refused(text[at:])
        at += found.end()
        if not found.group(2):
            tree[found.group(1)] = None
            continue
        quote = text[at:at + 1]
        if quote == "'" or quote == '"':
            pattern = r"'((?:[^'\\]|\\.)*)'" if quote == "'" else r'"((?:[^"\\]|\\.)*)"'
            value = re.match(pattern, text[at:], re.S)
            if not value:
                raise Refused(text[at:])
            at += value.end()
            value = value.group(1)
            rest = re.match(rf"[^\S\n]*(#[^\n]*)?(?=\n|$)|[^\S\n]+(?=(export[ \t]{blank}*)?[\w.\[\]-]+{blank}*[=:])", text[at:])
            if not rest:
                raise Refused(text[at:])
            at += rest.end()
            if quote == "'":
                value = value.replace("\\\\", "\4").replace("\\'", "'").replace("\4", "\\\\")
            else:
                names = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
                has_both = len(set(re.findall(r"\\.|\$", value)) & {"\\$", "$"}) == 2
                value = re.sub(r'(\\0(\d{0,3}))|\\(["\\$abfnrtv])|\$\$?',
                               lambda m: escaped(m, "$$" if has_both and not variables else "$"), value)
        else:
            value = re.match(r"[^\n]*", text[at:]).group()
            at += len(value)
            value = value.partition(" #")[0].rstrip()
            value = re.sub(r"\$\$?", lambda m: marked(m[0]), value)
        tree[found.group(1)] = value


WHITE = " \t\n\r"


def systemd_env_model(text):
    """parse_env_file(): a state machine."""
    tree, state, key, value = {}, "PRE_KEY", "", ""
    for c in text + "\n":
        if state == "PRE_KEY":
            if c in "#;":
                state = "COMMENT"
            elif c not in WHITE:
                state, key = "KEY", c
        elif state == "COMMENT":
            state = "PRE_KEY" if c == "\n" else state
        elif state == "KEY":
            if c == "\n":
                state = "PRE_KEY"
            elif c == "=":
                state, value = "PRE_VALUE", ""
            else:
                key += c
        elif state in ("PRE_VALUE", "VALUE") and c == "\n":
            tree[key.strip(WHITE)] = value.rstrip(WHITE) if state == "VALUE" else value
            state = "PRE_KEY"
        elif state == "PRE_VALUE" and c in "'\"":
            state = c
        elif state in ("PRE_VALUE", "VALUE") and c == "\\":
            state = "ESCAPE"
        elif state == "PRE_VALUE" and c in WHITE:
            pass
        elif state in ("PRE_VALUE", "VALUE"):
            state, value = "VALUE", value + c
        elif state == "ESCAPE":
            state, value = "VALUE", value + ("" if c == "\n" else c)
        elif state == c:
            state = "PRE_VALUE"
        elif state == '"' and c == "\\":
            state = "QUOTED_ESCAPE"
        elif state == "QUOTED_ESCAPE":
            state, value = '"', value + (c if c in '"\\`$' else "" if c == "\n" else "\\" + c)
        else:
            value += c
    return tree


def env_model(text):
    return compose_model(text)


def env_check(text, written):
    """The written text means the same to both, and a "$" is a variable if it was one."""
    ours, theirs = compose_model(written), systemd_env_model(written)
    ours.pop("", None)
    assert {key: value for key, value in ours.items() if value is not None} == theirs, (ours, theirs)
    assert compose_model(text, True) == compose_model(written, True)


# ---- properties

def properties_document(chance):
    lines = []
    for _ in range(chance.randrange(10)):
        key = pick(chance, "a", "b.c", "a\\ b", "\\#x", "a\\:b", "\\u00e4", "ä", "") + pick(chance, "", "", "\\=")
        value = pick(chance, "", "1", "x=y:z", "\\ x ", "\\t\\n\\q\\\\", "\\uD83D\\uDE00", "a\\\n   b", "ä",
                     "a \\\r\n\t# b", "x\\", "\\u00e", "\\uDC00") if chance.random() < 0.9 else "1"
        if chance.random() < 0.9:
            value = re.sub(r"\\u(00e|DC00)$", "", value)
        lines.append(pick(chance, "", " ", "\t") + pick(
            chance, "", "# c \\", "! c", "\\", *[key + pick(chance, "=", ":", " ", " = ", "\t:\f", "") + value] * 5))
    text = pick(chance, "\n", "\n", "\r\n", "\r").join(lines)
    return text + pick(chance, "", "\n")


def properties_lines(text):
    lines = re.split(r"\r\n|\r|\n", text)
    while lines:
        line = lines.pop(0).lstrip(" \t\f")
        if not line or line[0] in "#!":
            continue
        while re.search(r"(?<!\\)(\\\\)*\\$", line):
            line = line[:-1]
            if not lines:
                break
            following = lines.pop(0).lstrip(" \t\f")
            # A line of a backslash alone is no line, so a comment may follow it.
            if not line and (not following or following[0] in "#!"):
                break
            line += following
        if line:
            yield line


def properties_text(text):
    names = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

    def one(found):
        if found[1] != "u":
            return names.get(found[1], found[1])
        if not found[2]:
            raise Refused(text)
        return chr(int(found[2], 16))
    text = re.sub(r"(?s)\\(u(?=([0-9a-fA-F]{4})?)|.)(?:(?<=u)[0-9a-fA-F]{4})?", one, text)
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Refused(text)


def properties_model(text):
    tree = {}
    for line in properties_lines(text):
        key = re.match(r"(?s)(?:\\.|[^\\=: \t\f])*", line).group()
        rest = re.match(r"[ \t\f]*[=:]?[ \t\f]*", line[len(key):]).group()
        tree[properties_text(key)] = properties_text(line[len(key) + len(rest):])
    return tree


FORMATS = {
    "ini": (ini_document, ini_model, None),
    "systemd": (systemd_document, systemd_model, None),
    "keyfile": (keyfile_document, keyfile_model, None),
    "env": (env_document, env_model, env_check),
    "properties": (properties_document, properties_model, None),
}

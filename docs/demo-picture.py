#!/usr/bin/env python3
"""Makes docs/demo.svg, the moving picture in the README: what scripts/demo prints, a screen for each step.

    docs/demo-picture.py

It runs scripts/demo, which builds plyfs and mounts, so it needs /dev/fuse. Each screen stays for a time that its lines
take to read. The picture needs no program: the browser moves it.
"""
import html
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
COLUMNS, ROWS = 110, 30
WIDTH, HEIGHT, LINE = 900, 520, 16
SECONDS_OF_SCREEN, SECONDS_OF_LINE = 2.0, 0.25
COLOURS = (("# ", "#7ee787"), ("$ ", "#ffffff"), ("plyfs: ", "#ff7b72"), ("inotifywait saw", "#f2cc60"))


def lines():
    # Errors have their place behind their command, as in a terminal.
    done = subprocess.run([f"{ROOT}/scripts/demo"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)
    text = re.sub(r"/tmp/tmp\.\w+/", "~/", done.stdout)
    for line in text.splitlines()[1:]:
        yield from textwrap.wrap(line, COLUMNS, subsequent_indent="    ", drop_whitespace=False) or [""]


def screens(text):
    """A screen begins with a comment, or with a command for which there is no room."""
    found, screen, step = [], [], []
    for line in [*text, "# "]:
        if line.startswith(("# ", "$ ")) and step:
            if screen and (step[0].startswith("# ") or len(screen) + len(step) > ROWS):
                found.append(screen)
                screen = []
            screen += step
            step = []
        step.append(line)
    found.append(screen)
    return [screen for screen in found if any(screen)]


def colour(line):
    return next((colour for start, colour in COLOURS if line.startswith(start)), "#c9d1d9")


def picture(found):
    times = [SECONDS_OF_SCREEN + SECONDS_OF_LINE * len(screen) for screen in found]
    total, begin = sum(times), 0
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="monospace" font-size="12.5">')
    yield "<title>plyfs: three tiers of an agent's settings</title>"
    yield "<style>"
    yield "text { white-space: pre } g { opacity: 0 }"
    for number, seconds in enumerate(times):
        end = begin + seconds
        yield (f"@keyframes s{number} {{ 0% {{ opacity: {int(number == 0)} }} {begin / total:.2%} {{ opacity: 1 }} "
               f"{end / total:.2%} {{ opacity: 0 }} 100% {{ opacity: 0 }} }} "
               f"#s{number} {{ animation: s{number} {total:.1f}s step-end infinite }}")
        begin = end
    yield "</style>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#0d1117"/>'
    for number, screen in enumerate(found):
        yield f'<g id="s{number}">'
        for row, line in enumerate(screen):
            if line.strip():
                yield f'<text x="16" y="{24 + LINE * row}" fill="{colour(line)}">{html.escape(line)}</text>'
        yield "</g>"
    yield "</svg>"


def main():
    path = f"{ROOT}/docs/demo.svg"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(picture(screens(list(lines())))) + "\n")
    print(f"written: {os.path.relpath(path)}")


main()

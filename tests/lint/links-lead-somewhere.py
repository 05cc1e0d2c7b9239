#!/usr/bin/env python3
"""Each link in a Markdown file of the repository leads to a file of the repository, and its fragment to a heading, as
GitHub names them. In the manuals, each section in capitals that a sentence names ("see *LOCKS*") is a heading of a
manual, and each page of plyfs exists. Each case that the page of the merge rules names is a folder of tests/cases. With
--network, the addresses of other servers are asked, too.
"""
import os
import re
import subprocess
import sys
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
FENCE = re.compile(r"^(```.*?^```|    .*?$)", re.S | re.M)


def tracked(*patterns):
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *patterns], check=False, capture_output=True, text=True)
    if names.returncode == 0:
        return [name for name in names.stdout.split("\0") if name and os.path.exists(os.path.join(ROOT, name))]
    ends = tuple(pattern.lstrip("*") for pattern in patterns)  # a tarball
    return [os.path.relpath(os.path.join(folder, name), ROOT) for folder, folders, names in os.walk(ROOT)
            if not os.path.relpath(folder, ROOT).startswith(("build", ".git")) for name in names if name.endswith(ends)]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    """The fragments that GitHub gives the headings."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.lower())).replace(" ", "-")
        count = 0
        while (slug if not count else f"{slug}-{count}") in found:
            count += 1
        found.add(slug if not count else f"{slug}-{count}")
    return found


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def markdown_faults(name, network):
    text = read(name)
    plain = FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in re.finditer(r"\]\(([^)\s]+)\)", plain):
        link, place = match.group(1), f"{name}:{line_of(plain, match.start())}"
        if link.startswith(("http:", "https:")):
            if network:
                yield from network_faults(link, place)
            continue
        path, _, fragment = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(ROOT, target)):
            yield f"{place}: there is no {target}"
        elif fragment and fragment not in anchors(read(target)):
            yield f"{place}: {target} has no heading for #{fragment}"


def network_faults(link, place):
    try:
        request = urllib.request.Request(link, headers={"User-Agent": "Mozilla/5.0"})
        with urllib.request.urlopen(request, timeout=20):
            pass
    except OSError as error:
        yield f"{place}: {link}: {error}"


def manual_faults(names):
    texts = {name: read(name) for name in names}
    headings = set(re.findall(r"^#+ (.*)$", "\n".join(texts.values()), re.M))
    pages = {os.path.basename(name).split(".scd")[0] for name in names}
    for name, text in texts.items():
        for match in re.finditer(r"[Ss]ee\s+\*([A-Z][A-Z ]+)\*", text):
            if match.group(1) not in headings:
                yield f"{name}:{line_of(text, match.start())}: no manual has a section {match.group(1)}"
        for match in re.finditer(r"\*(plyfs[a-z.-]*)\*\((\d)\)", text):
            if f"{match.group(1)}.{match.group(2)}" not in pages:
                yield f"{name}:{line_of(text, match.start())}: there is no page {match.group(1)}({match.group(2)})"


def case_faults():
    """The cases are in the last column. Three words with dashes between them are a case's name."""
    name = "docs/merge-rules.md"
    text = read(name)
    for row in re.finditer(r"^\|.*\| (.*) \|$", text, re.M):
        for case in re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+){2,})`", row.group(1)):
            if not os.path.isdir(os.path.join(ROOT, "tests/cases", case)):
                yield f"{name}:{line_of(text, row.start())}: there is no case {case}"


def main():
    network = "--network" in sys.argv[1:]
    faults = [fault for name in tracked("*.md") if not name.startswith("tests/cases") for fault in markdown_faults(name, network)]
    faults += manual_faults(tracked("*.scd", "*.scd.in"))
    faults += case_faults()
    print("\n".join(faults) or "all links lead somewhere")
    sys.exit(1 if faults else 0)


main()

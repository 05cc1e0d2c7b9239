#!/usr/bin/env python3
"""A room includes only rooms below it, and in no room do headers include each other in a circle.

A room is a folder with all that is below it. The argument, if any, is the tree to check.
"""
import os
import re
import sys

# Lowest first; a room may include rooms in the lines before its own.
ORDER = (
    ("merge",),
    ("schema",),
    ("conf",),
    ("fs/loop", "fs/union"),
    ("fs/compose",),
    ("fs/sandbox",),
    ("fs/handover", "fs/run", "fs/last_good", "fs/supervisor", "fs/watch", "fs/worker"),
    ("fs/view", "fs/explain"),
    ("fs/status", "fs/mirror"),
    ("fs/edit", "fs/render", "fs/driver"),
    ("cli",),
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}


def find_rooms():
    """Returns {room: {name of a C file: its path}}."""
    rooms = ["merge", "schema", "conf", "cli"] + [f"fs/{entry.name}" for entry in os.scandir("fs") if entry.is_dir()]
    return {room: {name: f"{folder}/{name}" for folder, _, names in os.walk(room)
                   for name in names if name.endswith((".c", ".h"))} for room in sorted(rooms)}


def room_of(header, room, rooms):
    """Returns where `header` is found from `room`: in it, else in the lowest room; None if it is generated."""
    if header in rooms[room]:
        return room
    return min((other for other in rooms if header in rooms[other]),
               key=lambda other: RANK.get(other, len(ORDER)), default=None)


def includes(rooms):
    """Yields (room, file, room, header)."""
    for room, names in rooms.items():
        for name in sorted(names):
            with open(names[name], encoding="utf-8") as source:
                found = re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', source.read(), re.M)
            for header in map(os.path.basename, found):
                target = room_of(header, room, rooms)
                if target:
                    yield room, name, target, header


def way(graph, start, end):
    """Returns a shortest path from `start` to `end`, both included; None if there is none."""
    ways = [[start]]
    seen = {start}
    for path in ways:
        for following in sorted(graph.get(path[-1], ())):
            if following == end:
                return path + [end]
            if following not in seen:
                seen.add(following)
                ways.append(path + [following])
    return None


def circles(graph):
    """Yields, for each set of nodes that reach each other, a shortest circle and the whole set."""
    done = set()
    for node in sorted(graph):
        if node not in done and way(graph, node, node):
            whole = {node} | {other for other in graph if way(graph, node, other) and way(graph, other, node)}
            done |= whole
            yield min((way(graph, member, member) for member in sorted(whole)), key=len), whole


def main():
    rooms = find_rooms()
    wrong = [f"{room}: give it a place in ORDER" for room in rooms if room not in RANK]
    between = {}
    inside = {room: {} for room in rooms}
    why = {}
    for room, name, target, header in includes(rooms):
        if room == target:
            inside[room].setdefault(name, set()).add(header)
            why.setdefault((room, name, header), f"{name} includes {header}")
            continue
        between.setdefault(room, set()).add(target)
        why.setdefault((room, target), f"{room}/{name} includes {target}/{header}")
        upward = RANK.get(target, len(ORDER)) >= RANK.get(room, len(ORDER))
        if upward:
            wrong.append(f"{room}/{name} includes {target}/{header}, which is not below it")

    for path, _ in circles(between):
        wrong.append("rooms in a circle: " + ", ".join(why[pair] for pair in zip(path, path[1:])))
    for room, graph in inside.items():
        for path, whole in circles(graph):
            wrong.append(f"{room}: {len(whole)} include each other in a circle ({', '.join(sorted(whole))}); "
                         + "for instance " + ", ".join(why[(room, *pair)] for pair in zip(path, path[1:])))
    if not why:
        wrong.append("no file includes another: this is not our tree")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


os.chdir(sys.argv[1] if len(sys.argv) > 1 else f"{os.path.dirname(os.path.realpath(__file__))}/../..")
main()

#!/usr/bin/env python3
"""medit_to_gmsh.py IN.mesh OUT.msh: tetrahedra of a Medit ASCII file as Gmsh 2.2 ASCII, which the tool reads."""
import sys


def section(words, name, width):
    start = words.index(name) + 2
    count = int(words[start - 1])
    return [words[start + width * i : start + width * (i + 1)] for i in range(count)]


def main(source, target):
    with open(source, encoding="ascii") as file:
        words = file.read().split()
    vertices, tets = section(words, "Vertices", 4), section(words, "Tetrahedra", 5)
    with open(target, "w", encoding="ascii") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(vertices))
        file.writelines("%d %s\n" % (i + 1, " ".join(v[:3])) for i, v in enumerate(vertices))
        file.write("$EndNodes\n$Elements\n%d\n" % len(tets))
        file.writelines("%d 4 2 0 1 %s\n" % (i + 1, " ".join(t[:4])) for i, t in enumerate(tets))
        file.write("$EndElements\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

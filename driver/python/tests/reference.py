"""What the documents of ACCL say: the API, and programs."""

import os
import re
import timeit

TESTS = os.path.dirname(os.path.abspath(__file__))

# The documents themselves are not part of the project: beside it, or where this says.
DOCUMENTS = os.environ.get("CCLFORGE_DOCUMENTS", os.path.join(TESTS, "../../../../shared/seeds"))


def _text(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def api():
    """Module, name and bases of classes, with what stands below each: signatures and values of the API reference.

    Members are (name, parameters as text, or None for a property or value).
    """
    classes = {}
    of = None
    for line in _text(TESTS, "testdata", "api.txt").splitlines():
        made = re.fullmatch(r"class (pyaccl\.\w+)\.(\w+)\((.*)\)", line)
        method = re.fullmatch(r"([a-z_]+)\((.*)\)", line)
        value = re.fullmatch(r"([A-Z0-9_]+) = (\d+)", line)
        base = re.fullmatch(r"Bases: (\w+)", line)
        property_ = re.fullmatch(r"property (\w+)", line)
        if made:
            of = classes[made.group(1), made.group(2)] = {
                "parameters": made.group(3), "methods": {}, "values": {}, "properties": [], "base": None}
        elif base:
            of["base"] = base.group(1)
        elif method and of:
            of["methods"][method.group(1)] = method.group(2)
        elif value:
            of["values"][value.group(1)] = int(value.group(2))
        elif property_:
            of["properties"].append(property_.group(1))
    return classes


def parameters(text):
    """Name and default, as the document prints it, of the parameters of a signature; None if there is no default."""
    out, depth, item = [], 0, ""
    for c in text + ",":
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            name, has, default = item.strip().partition("=")
            if name:
                out.append((name, default if has else None))
            item = ""
        else:
            item += c
    return out


def program(name):
    """The code of a notebook as it stands, on engines that are not hardware.

    Cells begin with "In [None]:" and go as far as there is code. %timeit is what IPython makes of it.
    """
    source = ""
    for cell in _text(DOCUMENTS, name).split("In [None]:\n")[1:]:
        code = ""
        for paragraph in cell.split("\n\n"):
            longer = code + _magic(paragraph) + "\n\n"
            try:
                compile(source + longer, name, "exec")
            except SyntaxError:
                break
            code = longer
        source += code
    return source.replace("RUN_ON_HARDWARE = True", "RUN_ON_HARDWARE = False")


def _magic(text):
    return re.sub(r"(?m)^%timeit -r (\d+) -n (\d+) (.*)$", r"__timeit__(lambda: (\3), repeat=\1, number=\2)", text)


def run(name):
    """Runs a program, and returns its names."""
    names = {"__timeit__": timeit.repeat, "__name__": "__main__"}
    exec(compile(program(name), name, "exec"), names)  # pylint: disable=exec-used
    return names


if __name__ == "__main__":
    import sys

    for document in sys.argv[1:]:
        run(document)
        print("ran", document)

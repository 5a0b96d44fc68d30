"""A stand-in for gem5's Python, to test se.py without gem5.

FAKE in the environment says what it is like: words separated by commas.

    protocols=A+B   the protocols built in
    v22             as v22: one TARGET_ISA, no default_isa, no randomization
    noseed          nothing can be seeded
    nocpu           there are no CPUs
    agent           Ordeal's tester is built in
    ticks=N         when the guest exits; code=N is its exit code
    stuck=N         no core completes an access after tick N
    spin=N          no core completes a store after tick N
    nostats         cores count neither
    sources=TREE    the tree whose RubySystem.py is in the binary
    work=A+B        arguments of work_begin, executed at the start
"""

import os

SETTINGS = dict(
    (word.split("=", 1) + [True])[:2] for word in os.environ.get("FAKE", "").split(",") if word
)
MaxTick = 2**64 - 1

from . import core, debug, defines, objects, params  # noqa: E402

_tick = 0


def curTick():
    return _tick


class _Event:
    def __init__(self, cause, code):
        self.cause, self.code = cause, code

    def getCause(self):
        return self.cause

    def getCode(self):
        return self.code


def instantiate():
    print("instantiated", objects.describe())


_work = [int(word) for word in SETTINGS.get("work", "").split("+") if word]


def simulate(ticks):
    global _tick
    if _work and any(getattr(o, "exit_on_work_items", False) for o in objects.made):
        return _Event("workbegin", _work.pop(0))
    end = int(SETTINGS.get("ticks", 1000))
    if _tick + ticks < end:
        _tick += ticks
        return _Event("simulate() limit reached", 0)
    _tick = end
    cause = "ordeal: done" if any(isinstance(o, objects.OrdealRun) for o in objects.made) else "exiting with last active thread context"
    return _Event(cause, int(SETTINGS.get("code", 0)))


class _Importer:
    """Holds sources as gem5's own importer does: by module, path and code."""

    def __init__(self, tree):
        self.modules = {}
        for module, path in (("m5", "src/python/m5/__init__.py"), ("m5.objects.RubySystem", "src/mem/ruby/system/RubySystem.py")):
            built = os.path.join(tree, path)
            text = open(built).read() if "Ruby" in path else ""
            self.modules[module] = (built, compile(text, path, "exec"))

    def find_spec(self, *_):
        return None


if "sources" in SETTINGS:
    import sys

    sys.meta_path.append(_Importer(SETTINGS["sources"]))

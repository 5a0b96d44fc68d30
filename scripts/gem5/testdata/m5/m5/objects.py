import m5

from . import SETTINGS

made = []


class SimObject:
    _params = ()

    def __init__(self, **values):
        made.append(self)
        for name, value in values.items():
            setattr(self, name, value)

    def descendants(self):
        for child in list(vars(self).values()):
            for o in child if isinstance(child, list) else [child]:
                if isinstance(o, SimObject):
                    yield o
                    yield from o.descendants()


class Count:
    """A statistic that grows with time until a setting says that it stops."""

    def __init__(self, stops):
        self.stops = stops

    @property
    def value(self):
        return min(m5.curTick(), *(int(SETTINGS[s]) for s in self.stops if s in SETTINGS), m5.MaxTick)


class Statistics:
    def resolveStat(self, name):
        if "nostats" in SETTINGS:
            raise KeyError(name)
        return {
            "commitStats0.numLoadInsts": Count(["stuck"]),
            "commitStats0.numStoreInsts": Count(["stuck", "spin"]),
        }[name]


class CPU(SimObject):
    def getCCObject(self):
        return Statistics()

    def createInterruptController(self):
        self.interrupts = True

    def createThreads(self):
        self.threads = True

    def totalInsts(self):
        return 11


class RubySystem(SimObject):
    _params = () if "v22" in SETTINGS else ("randomization",)


class Number:
    """The value of a numeric parameter that was not set: no number of Python's."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


class Sequencer(SimObject):
    deadlock_threshold = 500000
    max_outstanding_requests = Number(16)

    def connectCpuPorts(self, cpu):
        cpu.port = self

    @property
    def in_ports(self):
        return self.ports


if "agent" in SETTINGS:

    class OrdealAgent(SimObject):
        data = "data"

        def totalInsts(self):
            return min(m5.curTick(), int(SETTINGS.get("stuck", m5.MaxTick)))

        totalAccesses = totalInsts


class OrdealRun(SimObject):
    pass


class Directory(SimObject):
    _params = ("L2isWB", "requestFromDMA", "responseToDMA")


class Controller(SimObject):
    _params = ("send_evictions",)
    send_evictions = False


class SEWorkload(SimObject):
    @classmethod
    def init_compatible(cls, path):
        return cls(path=path)


class Process(SimObject):
    pass


MessageBuffer = Root = SrcClockDomain = System = VoltageDomain = SimObject
if "nocpu" not in SETTINGS:
    if "v22" in SETTINGS:
        TimingSimpleCPU = CPU
    else:
        X86TimingSimpleCPU = X86O3CPU = RiscvO3CPU = CPU


def describe():
    """What tests ask for, in one line."""
    for run in (o for o in made if isinstance(o, OrdealRun)):
        wired = all(c.data == c.aux == "data of %d" % i and c.inst == "inst of %d" % i for i, c in enumerate(run.cores))
        notified = sum(o.send_evictions for o in made if isinstance(o, Controller))
        return "tester image=%s cores=%d devices=%d wired=%s evictions=%d" % (run.image, len(run.cores), len(run.devices), wired, notified)
    cpus = [o for o in made if isinstance(o, CPU)]
    process = next(o for o in made if isinstance(o, Process))
    ruby = next(o for o in made if isinstance(o, RubySystem))
    ready = all(c.interrupts and c.threads and c.workload is process and c.port for c in cpus)
    dma = [hasattr(o, n) for o in made if isinstance(o, Directory) for n in Directory._params]
    notified = sum(o.send_evictions for o in made if isinstance(o, Controller))
    return "%d cpus ready=%s output=%s threshold=%s randomization=%s directory=%s evictions=%d" % (
        len(cpus), ready, process.output, cpus[0].port.deadlock_threshold,
        getattr(ruby, "randomization", False), all(dma), notified,
    )

"""SE-mode configuration of gem5 for Ordeal, run by gem5's own Python.

Builds N cores on Ruby with the coherence protocol that the binary was built
for, from the configs/ruby folder of a gem5 source tree, and runs one static
executable on them; or, with --image, the cores and devices of Ordeal's own tester
(extras/ordeal) in their place. Written for gem5 v22 to v25; what differs between them is
looked for, not concluded from a version number.

It prints lines of its own, which begin with ORDEAL:

    ORDEAL info JSON        what the binary is (with --info, then ends)
    ORDEAL refused REASON   the machine cannot be built like this
    ORDEAL note TEXT        something that differs from what was asked for
    ORDEAL bounds D L       ticks without an access, without a store, after which a run is stuck
    ORDEAL start            the simulation begins
    ORDEAL progress T I,A,S …  tick, and of each core the committed instructions,
                            loads and stores, and stores, so far
    ORDEAL exit C T I TEXT  the guest's exit code, tick, instructions, cause
    ORDEAL limit T I        the maximum of ticks was reached
    ORDEAL stuck KIND T I   deadlock: no core completed an access for D ticks;
                            livelock: cores completed accesses, but no store for L
    ORDEAL stop T I         the tick that --stop-at named
"""

import argparse
import importlib
import inspect
import json
import os
import re
import sys

import m5
import m5.util.convert
from m5.defines import buildEnv

# Names of classes, the first behind that of an instruction set.
CPUS = {
    "timing": ("TimingSimpleCPU", "TimingSimpleCPU"),
    "o3": ("O3CPU", "DerivO3CPU"),
    "minor": ("MinorCPU", "MinorCPU"),
}
CPU_PREFIXES = {"x86": "X86", "arm": "Arm", "riscv": "Riscv"}


def say(*words):
    print("ORDEAL", *words, flush=True)


def refuse(reason):
    say("refused", reason)
    sys.stdout.flush()
    sys.exit(2)


def native():
    """The module of gem5's native functions, whatever it is called."""
    for name in ("_m5.core", "m5.internal.core"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return m5.core


def protocols():
    """Names of the protocols in this binary."""
    name = buildEnv.get("PROTOCOL")
    if name and name not in ("MULTIPLE", "None"):
        return [name]
    prefix = "RUBY_PROTOCOL_"
    return sorted(
        key[len(prefix):]
        for key, value in buildEnv.items()
        if key.startswith(prefix) and value
    )


def isas():
    """Names of the instruction sets in this binary, as x86."""
    if "TARGET_ISA" in buildEnv:
        return [str(buildEnv["TARGET_ISA"]).lower()]
    return sorted(
        key[len("USE_"):-len("_ISA")].lower()
        for key, value in buildEnv.items()
        if key.startswith("USE_") and key.endswith("_ISA") and value
    )


def tester():
    """The class of the agents of Ordeal's tester; None if the binary lacks it."""
    return getattr(importlib.import_module("m5.objects"), "OrdealAgent", None)


def info():
    version = getattr(native(), "gem5Version", "")
    compiled = getattr(native(), "compileDate", "")
    return {
        "version": str(version),
        "compiled": str(compiled),
        "protocols": protocols(),
        "isas": isas(),
        "agent": tester() is not None,
        "tracing": bool(getattr(native(), "TRACING_ON", False)),
    }


def parse_arguments():
    p = argparse.ArgumentParser(prog="se.py")
    p.add_argument("--info", action="store_true", help="say what the binary is, and end")
    p.add_argument("--tree", help="gem5 source tree")
    p.add_argument("--binary", help="static executable to run")
    p.add_argument("--image", help="programs for the tester, in place of an executable")
    p.add_argument("--devices", type=int, default=0, help="devices of the tester")
    p.add_argument("--flush", action="store_true", help="the tester's cores flush lines")
    p.add_argument("--output", default="guest.out", help="its standard output, in gem5's output folder")
    p.add_argument("--isa", choices=sorted(CPU_PREFIXES), default="x86", help="instruction set of the executable")
    p.add_argument("--protocol", help="coherence protocol that is expected")
    p.add_argument("--cores", type=int, default=4)
    p.add_argument("--cpu", choices=sorted(CPUS), default="timing")
    p.add_argument("--l1d-size", default="512B")
    p.add_argument("--l1d-assoc", type=int, default=2)
    p.add_argument("--l1i-size", default="4kB")
    p.add_argument("--l1i-assoc", type=int, default=2)
    p.add_argument("--l2-size", default="8kB")
    p.add_argument("--l2-assoc", type=int, default=4)
    p.add_argument("--l2-banks", type=int, default=1)
    p.add_argument("--dirs", type=int, default=1)
    p.add_argument("--network", choices=["simple", "garnet"], default="simple")
    p.add_argument("--link-latency", type=int, default=1)
    p.add_argument("--mem-size", default="1GB")
    p.add_argument("--cpu-clock", default="2GHz")
    p.add_argument("--ruby-clock", default="2GHz")
    p.add_argument("--seed", type=int, default=0, help="0: leave gem5's own seed")
    p.add_argument("--randomization", action="store_true")
    p.add_argument("--evictions", action="store_true", help="have controllers notify their cores of lines that they lose")
    p.add_argument("--deadlock-threshold", type=int, default=0, help="in cycles; 0: gem5's own, and derived")
    p.add_argument("--max-ticks", type=int, default=0, help="0: no limit")
    p.add_argument("--slice", type=int, default=50_000_000, help="ticks between two looks at the cores; longer in a long run")
    p.add_argument("--livelock-threshold", type=int, default=0, help="in cycles; 0: derived from the machine")
    p.add_argument("--idle", type=int, default=0, help="cycles that the program may go without an access")
    p.add_argument("--quiet", type=int, default=0, help="cycles that the program may go without a store")
    p.add_argument("--stop-at", type=int, default=0, help="end at this tick; 0: do not")
    p.add_argument("--trace", action="append", default=[], metavar="FLAGS:FROM:TO",
                   help="switch debug flags, joined by +, on from a tick to another")
    p.add_argument("--items", help="file, or pipe, to which the arguments of work_begin are printed")
    p.add_argument("--tree-option", action="append", default=[], help="further option for the tree's own parser")
    return p.parse_args()


def check(args):
    """Refuses what cannot work, by name. Returns the protocol to use."""
    if args.image:
        if tester() is None:
            refuse("the binary has no tester: build it with scons … EXTRAS=DIR/ordeal after ordeal gem5 agent DIR")
    elif args.isa not in isas():
        refuse("the binary simulates %s: want %s, as scons build/%s_MESI_Two_Level/gem5.opt builds it" % (", ".join(isas()) or "no instruction set", args.isa, args.isa.upper()))
    known = protocols()
    if not known:
        refuse("the binary was built without a Ruby protocol: want one, as scons build/%s_MESI_Two_Level/gem5.opt builds it" % args.isa.upper())
    if args.protocol and args.protocol not in known:
        refuse("the binary has protocol %s: want %s, as scons build/X86_%s/gem5.opt builds it (--gem5)" % (", ".join(known), args.protocol, args.protocol))
    if not args.protocol and len(known) > 1:
        refuse("the binary has several protocols (%s): name one (--protocol)" % ", ".join(known))
    for name in ("tree", "image" if args.image else "binary"):
        if not getattr(args, name):
            refuse("--%s is missing" % name)
    for folder in ("configs/ruby", "configs/common"):
        if not os.path.isdir(os.path.join(args.tree, folder)):
            refuse("tree %s: no folder %s" % (args.tree, folder))
    check_version(args.tree)
    check_sources(args.tree)
    return args.protocol or known[0]


def check_version(tree):
    """Refuses a tree of another version than the binary's, where both are known."""
    try:
        with open(os.path.join(tree, "src", "base", "version.cc"), encoding="utf-8") as f:
            text = f.read()
    except OSError:
        return
    found = re.search(r'gem5Version\s*=\s*"([^"]*)"', text)
    version = str(getattr(native(), "gem5Version", ""))
    if found and version and found.group(1) != version:
        refuse("the binary is gem5 %s, tree %s is %s: want the tree that the binary was built from (--gem5-tree)" % (version, tree, found.group(1)))
    if found:
        check_scripts(tree, found.group(1))


def check_scripts(tree, version):
    """Refuses a tree whose scripts are of another time than its sources: MULTIPLE.py came with v24.1."""
    since = (24, 1)
    number = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    later = os.path.isfile(os.path.join(tree, "configs", "ruby", "MULTIPLE.py"))
    if number and later != (number >= since):
        refuse("tree %s: src is gem5 %s, configs/ruby that of gem5 %s: want both of one version" % (tree, version, "24.1 or later" if later else "24.0 or earlier"))


def embedded():
    """The Python sources in the binary: path when it was built, and code; none if it does not say."""
    for finder in sys.meta_path:
        modules = getattr(finder, "modules", None)
        if isinstance(modules, dict) and "m5" in modules:
            return [entry for entry in modules.values() if isinstance(entry, tuple) and len(entry) == 2]
    return []


def same_code(a, b):
    """Whether two code objects come from the same text, whatever its path."""
    kind = type(check_sources.__code__)
    if not isinstance(a, kind) or not isinstance(b, kind):
        return type(a) is type(b) and a == b
    return (
        a.co_name == b.co_name and a.co_code == b.co_code and a.co_names == b.co_names and a.co_varnames == b.co_varnames
        and len(a.co_consts) == len(b.co_consts)
        and all(same_code(x, y) for x, y in zip(a.co_consts, b.co_consts))
    )


def check_sources(tree):
    """Refuses a tree whose Ruby is not the one in the binary, as far as Python tells."""
    for built, code in embedded():
        before, found, name = str(built).rpartition("/src/mem/ruby/")
        if not found:
            continue
        name = "src/mem/ruby/" + name
        try:
            with open(os.path.join(tree, name), encoding="utf-8") as f:
                same = same_code(compile(f.read(), str(built), "exec"), code)
        except (OSError, SyntaxError, ValueError):
            same = False
        if not same:
            refuse("the binary was built from tree %s, whose %s is not that of tree %s: want the tree that the binary was built from (--gem5-tree), or build this one" % (before, name, tree))


def import_tree(tree):
    """Imports the tree's configuration modules."""
    sys.path.insert(0, os.path.join(tree, "configs"))
    try:
        return importlib.import_module("common.Options"), importlib.import_module("ruby.Ruby")
    except Exception as e:  # whatever a tree of another version misses
        refuse("configuration of tree %s does not fit the binary: %s: %s" % (tree, type(e).__name__, e))


def cpu_class(kind, isa):
    names = (CPU_PREFIXES[isa] + CPUS[kind][0], CPUS[kind][1])
    for name in names:
        found = getattr(m5.objects, name, None)
        if found is not None:
            return name, found
    refuse("the binary has no %s CPU (%s)" % (kind, " or ".join(names)))


def tree_options(args, protocol, cores, cpu_name, options_module, ruby_module):
    """The options that the tree's own functions want."""
    # Binaries with several protocols look for theirs on the command line.
    sys.argv = sys.argv[:1] + ["--protocol", protocol]
    parser = argparse.ArgumentParser()
    parameters = inspect.signature(options_module.addCommonOptions).parameters
    if args.image:
        options_module.addNoISAOptions(parser)
    elif "default_isa" in parameters:
        isa = getattr(importlib.import_module("gem5.isas").ISA, args.isa.upper())
        options_module.addCommonOptions(parser, default_isa=isa)
    else:
        options_module.addCommonOptions(parser)
    several = buildEnv.get("PROTOCOL") != protocol
    ruby_module.define_options(parser)
    words = [
        "--num-cpus=%d" % cores,
        "--l1d_size=" + args.l1d_size,
        "--l1d_assoc=%d" % args.l1d_assoc,
        "--l1i_size=" + args.l1i_size,
        "--l1i_assoc=%d" % args.l1i_assoc,
        "--l2_size=" + args.l2_size,
        "--l2_assoc=%d" % args.l2_assoc,
        "--num-l2caches=%d" % args.l2_banks,
        "--num-dirs=%d" % args.dirs,
        "--mem-size=" + args.mem_size,
        "--network=" + args.network,
        "--link-latency=%d" % args.link_latency,
        "--ruby-clock=" + args.ruby_clock,
    ]
    if not args.image:
        words.append("--cpu-clock=" + args.cpu_clock)
    if several:
        words.append("--protocol=" + protocol)
    options, unknown = parser.parse_known_args(words + args.tree_option)
    if unknown:
        refuse("the tree knows no option %s" % " ".join(unknown))
    # send_evicts of the tree's scripts wants the name of a CPU of the binary.
    known = [CPU_PREFIXES[isa] + "TimingSimpleCPU" for isa in isas() if isa in CPU_PREFIXES]
    options.cpu_type = cpu_name or (known or [None])[0]
    options.ruby = True
    return options


def is_unset(obj, name):
    """Whether obj has a parameter name without a value."""
    if name not in type(obj)._params:
        return False
    try:
        return getattr(obj, name) is None
    except AttributeError:
        return True


def mend_protocol(protocol):
    """Makes a protocol buildable whose configuration lags behind Ruby.py.

    MOESI_AMD_Base of v22 to v24 takes no argument cpus, and leaves unset what
    its directory needs for DMA.
    """
    try:
        module = importlib.import_module("ruby." + protocol)
    except Exception as e:
        refuse("the tree cannot configure protocol %s: %s: %s" % (protocol, type(e).__name__, e))
    original = module.create_system
    takes = inspect.signature(original).parameters
    buffer = m5.objects.MessageBuffer

    def create_system(options, full_system, system, dma_ports, bootmem, ruby_system, *cpus):
        if len(takes) < 7:
            cpus = ()
        made = original(options, full_system, system, dma_ports, bootmem, ruby_system, *cpus)
        for directory in made[1]:
            if is_unset(directory, "L2isWB"):
                directory.L2isWB = False
            if is_unset(directory, "requestFromDMA"):
                directory.requestFromDMA = buffer(ordered=True)
                directory.requestFromDMA.in_port = ruby_system.network.out_port
            if is_unset(directory, "responseToDMA"):
                directory.responseToDMA = buffer()
                directory.responseToDMA.out_port = ruby_system.network.in_port
        return made

    if protocol == "MOESI_AMD_Base":
        module.create_system = create_system


def is_null(obj, name):
    return m5.params.isNullPointer(getattr(obj, name, None))


def notify_evictions(system, protocol):
    """Has controllers notify their cores of lines that they lose.

    send_evicts of configs/ruby/Ruby.py has them do so for X86 and Arm only. Cores of
    RISC-V need it, too: without it a store-conditional succeeds though its line was
    lost, and an O3 core keeps what loads returned too early.
    """
    # Those of CHI that have no cores have the parameter, and no sequencer or one without a
    # data cache. Those that have are children of their cores.
    notified = [
        o for o in system.descendants()
        if "send_evictions" in type(o)._params and not is_null(o, "sequencer") and not is_null(getattr(o, "sequencer", None), "dcache")
    ]
    if not notified:
        refuse("protocol %s has no controller that notifies cores of lines that it loses" % protocol)
    for controller in notified:
        controller.send_evictions = True


WITHOUT_DEVICES = ("MOESI_AMD_Base", "MSI", "Garnet_standalone")


def has_flushes(protocol):
    """MESI_Three_Level takes them since its controllers have its name (v24.1)."""
    return protocol == "MOESI_hammer" or protocol == "MESI_Three_Level" and hasattr(m5.objects, protocol + "_L0Cache_Controller")


def make_agents(args, protocol, cores):
    """The cores and devices of the tester."""
    if args.devices and protocol in WITHOUT_DEVICES:
        refuse("protocol %s has no machine for devices: want a program without threads of agent dma" % protocol)
    if args.flush and not has_flushes(protocol):
        refuse("protocol %s has no flushes in this version: want MOESI_hammer, or no flush" % protocol)
    cls = tester()
    return [cls(number=i) for i in range(cores)], [cls(number=i, device=True) for i in range(args.devices)]


def connect_agents(args, system, cores, devices, ports):
    """Connects the cores of the tester to their sequencers, and makes what runs programs on them."""
    for core, port in zip(cores, ports):
        data = getattr(port, "data_seq", port)  # CHI has a sequencer of its own for fetches
        core.data = data.in_ports
        core.aux = data.in_ports
        core.inst = getattr(port, "inst_seq", port).in_ports
    system.ordeal = m5.objects.OrdealRun(image=args.image, cores=cores, devices=devices)


def connect_cpus(args, system, cpus, ports):
    """Connects CPUs to their sequencers, and gives them the executable."""
    from m5.objects import Process, SEWorkload

    system.workload = SEWorkload.init_compatible(args.binary)
    process = Process(
        pid=100, executable=args.binary, cmd=[args.binary],
        cwd=os.getcwd(), output=args.output,
    )
    for cpu, port in zip(cpus, ports):
        cpu.createInterruptController()
        port.connectCpuPorts(cpu)
        cpu.workload = process
        cpu.createThreads()


def build(args):
    """Builds the machine; returns its root, its CPUs or agents and the sequencers of cores."""
    from m5.objects import Root, SrcClockDomain, System, VoltageDomain
    from m5.params import AddrRange

    protocol = check(args)
    options_module, ruby_module = import_tree(args.tree)
    cpu_name, cls = (None, None) if args.image else cpu_class(args.cpu, args.isa)
    cores = args.cores
    if protocol == "MOESI_AMD_Base" and cores % 2:
        cores += 1
        say("note", "MOESI_AMD_Base pairs its cores: %d instead of %d" % (cores, args.cores))
    options = tree_options(args, protocol, cores, cpu_name, options_module, ruby_module)
    mend_protocol(protocol)

    devices = []
    if args.image:
        cpus, devices = make_agents(args, protocol, cores)
    else:
        cpus = [cls(cpu_id=i) for i in range(cores)]
    system = System(
        cpu=cpus, mem_mode="timing", mem_ranges=[AddrRange(args.mem_size)],
        cache_line_size=options.cacheline_size,
    )
    if args.items:
        system.exit_on_work_items = True
    system.voltage_domain = VoltageDomain(voltage="1.0V")
    system.clk_domain = SrcClockDomain(clock="1GHz", voltage_domain=system.voltage_domain)
    system.cpu_voltage_domain = VoltageDomain()
    system.cpu_clk_domain = SrcClockDomain(clock=args.cpu_clock, voltage_domain=system.cpu_voltage_domain)
    if devices:
        system.devices = devices
    for cpu in cpus + devices:
        cpu.clk_domain = system.cpu_clk_domain

    takes = inspect.signature(ruby_module.create_system).parameters
    dma = [d.data for d in devices]
    if "cpus" in takes:
        ruby_module.create_system(options, False, system, dma_ports=dma, cpus=cpus)
    else:
        ruby_module.create_system(options, False, system, dma_ports=dma)
    ruby = system.ruby
    ruby.clk_domain = SrcClockDomain(clock=args.ruby_clock, voltage_domain=system.voltage_domain)
    if args.randomization:
        if "randomization" in type(ruby)._params:
            ruby.randomization = True
        else:
            say("note", "this version cannot randomize Ruby's messages")
    if args.evictions or args.image:
        notify_evictions(system, protocol)
    ports = ruby._cpu_ports
    if len(ports) < cores:
        refuse("protocol %s made %d sequencers for %d cores" % (protocol, len(ports), cores))
    if args.deadlock_threshold:
        for port in ports:
            port.deadlock_threshold = args.deadlock_threshold

    if args.image:
        connect_agents(args, system, cpus, devices, ports)
    else:
        connect_cpus(args, system, cpus, ports)
    return Root(full_system=False, system=system), cpus + devices, ports


def seed(value):
    """Seeds gem5's random numbers, which has moved between versions."""
    if not value:
        return
    for module in (native(), getattr(m5, "core", None), m5):
        function = getattr(module, "seedRandom", None)
        if function is not None:
            function(value)
            return
    say("note", "this version cannot be seeded")


class Watch:
    """Looks at each core after each slice of simulated time.

    What it finds depends on the simulation alone, not on how fast it goes.
    """

    # The parts of statistics that count what a thread committed, and those of
    # older versions, by kind.
    STATISTICS = {
        "loads": ("commitStats0.numLoadInsts", "exec_context.thread_0.numLoadInsts", "exec_context.thread_0.num_load_insts"),
        "stores": ("commitStats0.numStoreInsts", "exec_context.thread_0.numStoreInsts", "exec_context.thread_0.num_store_insts"),
    }

    def __init__(self, args, cpus, ports):
        self.cpus = cpus
        self.readers = [self.reader(cpu) for cpu in cpus]
        self.deadlock, self.livelock = self.bounds(args, ports)
        self.last = None
        self.accessed = self.stored = m5.curTick()
        if any(r is None for r in self.readers):
            say("note", "this version counts no stores of cores: instructions stand for them")

    @staticmethod
    def bounds(args, ports):
        """Ticks without an access and without a store that mean a run is stuck.

        All requests that the sequencers can have outstanding, one after the
        other, each by memory and a dozen links, sixteen times over.
        """
        outstanding = sum(int(getattr(p, "max_outstanding_requests", 16)) for p in ports)
        one = 200 + 24 * args.link_latency
        deadlock = args.deadlock_threshold or 16 * outstanding * one + args.idle
        # A guest that gives up at a barrier keeps its log, so it comes first.
        livelock = args.livelock_threshold or max(16 * deadlock, 16_000_000) + args.quiet
        period = 10**12 / m5.util.convert.toFrequency(args.ruby_clock)
        return int(deadlock * period), int(livelock * period)

    def reader(self, cpu):
        """A function that reads loads and stores of a core; None if this version lacks it.

        Of an agent they are accesses and operations.
        """
        if hasattr(cpu, "totalAccesses"):
            return lambda: (cpu.totalAccesses(), cpu.totalInsts())
        try:
            group = cpu.getCCObject()
            found = [self.resolve(group, names) for names in self.STATISTICS.values()]
            return lambda: [int(info.value) for info in found]
        except (AttributeError, KeyError):  # what another version misses
            return None

    @staticmethod
    def resolve(group, names):
        for name in names:
            try:
                info = group.resolveStat(name)
                int(info.value)
                return info
            except (AttributeError, KeyError, TypeError):
                pass
        raise KeyError(names[0])

    def counts(self):
        """Committed instructions, accesses and stores of each core."""
        all = []
        for cpu, reader in zip(self.cpus, self.readers):
            done = cpu.totalInsts()
            loads, stores = reader() if reader else (0, 0)
            if not stores:  # this kind of core does not count them: MinorCPU
                loads, stores = 0, done
            all.append((done, loads + stores, stores))
        return all

    def look(self):
        """Reports the progress; returns how the run is stuck, or None."""
        tick, now = m5.curTick(), self.counts()
        say("progress", tick, *("%d,%d,%d" % c for c in now))
        before, self.last = self.last or [(0, 0, 0)] * len(now), now
        if any(b[1] != n[1] for b, n in zip(before, now)):
            self.accessed = tick
        if any(b[2] != n[2] for b, n in zip(before, now)):
            self.stored = tick
        if tick - self.accessed >= self.deadlock:
            return "deadlock"
        if tick - self.stored >= self.livelock:
            return "livelock"
        return None

    def instructions(self):
        return sum(cpu.totalInsts() for cpu in self.cpus)


def switches(args):
    """When which debug flags go on and off: (tick, on, names), in order."""
    from m5 import debug

    listed = []
    for text in args.trace:
        names, begin, end = text.split(":")
        names = names.split("+")
        unknown = [name for name in names if name not in debug.flags]
        if unknown:
            refuse("the binary has no debug flag %s: want gem5.opt or gem5.debug" % ", ".join(unknown))
        listed += [(int(begin), True, names), (int(end), False, names)]
    return sorted(listed, key=lambda s: s[:2])


def simulate(args, watch, switches):
    from m5 import debug

    limit = args.max_ticks or m5.MaxTick
    say("bounds", watch.deadlock, watch.livelock)
    say("start")
    look = args.slice
    items = os.open(args.items, os.O_WRONLY) if args.items else None
    if items is not None:
        # Each beginning of the loop is a message, and each item one.
        core = native()
        if hasattr(core, "setLogLevel"):
            core.setLogLevel(core.LogLevel.WARN)
    while True:
        while switches and switches[0][0] <= m5.curTick():
            _, on, names = switches.pop(0)
            for name in names:
                flag = debug.flags[name]
                flag.enable() if on else flag.disable()
        until = min([look, limit] + [s[0] for s in switches[:1]] + ([args.stop_at] if args.stop_at else []))
        event = m5.simulate(max(until - m5.curTick(), 0))
        if event.getCause() == "workbegin" and items is not None:
            # Written at once: a panic of gem5 loses what Python holds.
            os.write(items, b"item %d\n" % (event.getCode() & 0xffffffff))
            continue
        tick, count = m5.curTick(), watch.instructions()
        if event.getCause() != "simulate() limit reached":
            watch.look()
            say("exit", event.getCode(), tick, count, event.getCause())
            return 0
        if tick >= limit:
            watch.look()
            say("limit", tick, count)
            return 3
        if tick >= look:
            # gem5 prints a line for each slice: a long run has longer ones.
            look += max(args.slice, tick // 256)
            kind = watch.look()
            if kind:
                say("stuck", kind, tick, count)
                return 4
        if args.stop_at and tick >= args.stop_at:
            say("stop", tick, count)
            return 5


def main():
    args = parse_arguments()
    if args.info:
        say("info", json.dumps(info()))
        return 0
    changes = switches(args)
    root, cpus, ports = build(args)
    seed(args.seed)
    m5.instantiate()
    return simulate(args, Watch(args, cpus, ports), changes)


if __name__ in ("__m5_main__", "__main__"):
    sys.exit(main())

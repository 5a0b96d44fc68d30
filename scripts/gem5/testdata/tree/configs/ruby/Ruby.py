import importlib
import sys

from m5.defines import buildEnv
from m5.objects import RubySystem, SimObject


def define_options(parser):
    for name in ("ruby-clock", "network", "link-latency", "recycle-latency"):
        parser.add_argument("--" + name)
    if buildEnv["PROTOCOL"] == "MULTIPLE":
        parser.add_argument("--protocol", required=True)
        buildEnv["PROTOCOL"] = sys.argv[sys.argv.index("--protocol") + 1]


def create_system(options, full_system, system, piobus=None, dma_ports=[], bootmem=None, cpus=None):
    system.ruby = RubySystem(network=SimObject(in_port=1, out_port=2))
    module = importlib.import_module("ruby." + buildEnv["PROTOCOL"])
    ports, directories, topology = module.create_system(
        options, full_system, system, dma_ports, bootmem, system.ruby, cpus
    )
    system.ruby._cpu_ports = ports
    print("ruby", module.__name__, "l1d", options.l1d_size, "link", options.link_latency, "banks", options.num_l2caches)

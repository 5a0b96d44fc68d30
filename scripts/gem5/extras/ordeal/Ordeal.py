"""The objects of Ordeal's tester inside gem5."""

from m5.objects.ClockedObject import ClockedObject
from m5.params import *
from m5.proxy import *
from m5.SimObject import *


class OrdealAgent(ClockedObject):
    """A core with its instruction fetches, or a device: then it uses the data port alone."""

    type = "OrdealAgent"
    cxx_header = "ordeal/agent.hh"
    cxx_class = "gem5::OrdealAgent"
    cxx_exports = [PyBindMethod("totalInsts"), PyBindMethod("totalAccesses")]

    system = Param.System(Parent.any, "system of the agent")
    number = Param.Unsigned("number among the cores, or among the devices")
    device = Param.Bool(False, "a device")
    data = RequestPort("loads and stores")
    inst = RequestPort("instruction fetches of a core")
    aux = RequestPort("flushes, prefetches and functional reads of a core")


class OrdealRun(SimObject):
    """Runs the programs of a file on agents, one after the other."""

    type = "OrdealRun"
    cxx_header = "ordeal/run.hh"
    cxx_class = "gem5::OrdealRun"

    image = Param.String("file of the programs and of their log")
    cores = VectorParam.OrdealAgent("cores by number")
    devices = VectorParam.OrdealAgent([], "devices by number")

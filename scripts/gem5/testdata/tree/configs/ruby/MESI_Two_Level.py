from m5.objects import Controller, Sequencer
from m5.params import NullSimObject


def create_system(options, full_system, system, dma_ports, bootmem, ruby_system, cpus):
    ruby_system.l1_cntrls = [Controller() for _ in cpus]
    ruby_system.l2_cntrls = [Controller(sequencer=NullSimObject())]
    return [Sequencer() for _ in cpus], [], None

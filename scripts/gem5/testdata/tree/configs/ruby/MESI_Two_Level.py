from m5.objects import Controller, Sequencer
from m5.params import NullSimObject


def create_system(options, full_system, system, dma_ports, bootmem, ruby_system, cpus):
    ruby_system.l1_cntrls = [Controller() for _ in cpus]
    ruby_system.l2_cntrls = [Controller(sequencer=NullSimObject())]
    ports = [Sequencer(ports="data of %d" % i) for i in range(len(cpus))]
    for i, port in enumerate(ports):
        port.inst_seq = Sequencer(ports="inst of %d" % i)
    return ports, [], None

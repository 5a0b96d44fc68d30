from m5.objects import Controller, Sequencer


def create_system(options, full_system, system, dma_ports, bootmem, ruby_system, cpus):
    ruby_system.l1_cntrls = [Controller() for _ in cpus]
    return [Sequencer() for _ in cpus], [], None

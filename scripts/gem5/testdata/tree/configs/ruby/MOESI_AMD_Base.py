from m5.objects import Directory, Sequencer


def create_system(options, full_system, system, dma_ports, bootmem, ruby_system):
    assert int(options.num_cpus) % 2 == 0
    return [Sequencer() for _ in range(int(options.num_cpus))], [Directory()], None

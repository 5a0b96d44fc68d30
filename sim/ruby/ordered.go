package ruby

// orderedNetworks lists the virtual networks that keep the order of messages in
// gem5, as those of an ordered buffer do; all of them if the protocol is not as
// gem5 configures it.
func (p *program) orderedNetworks(networks int) []bool {
	list := make([]bool, networks)
	for i := range list {
		list[i] = !p.Configured
	}
	for _, mc := range p.Codes {
		for i, v := range mc.Buffers {
			if v.Network != nil && v.Network.VNet < networks && mc.Ordered[i] {
				list[v.Network.VNet] = true
			}
		}
	}
	return list
}

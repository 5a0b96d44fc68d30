package ruby

// spare is memory of a system that has ended, for the next one of the protocol:
// most of a short run would be spent on allocating it.
type spare struct {
	pools            []pool // by layout
	recent           []delivery
	coverage, stalls [][]uint64 // by machine, state and event
}

// most bounds the objects of a layout that stay for other systems.
const most = 4096

// newSpare makes memory for a system, or takes that of one that has ended.
func (p *program) newSpare() *spare {
	if m, ok := p.spares.Get().(*spare); ok {
		return m
	}
	m := &spare{pools: make([]pool, len(p.layouts))}
	for _, l := range p.layouts {
		m.pools[l.index].layout = l
	}
	for _, code := range p.codes {
		m.coverage = append(m.coverage, make([]uint64, len(code.rows)))
		m.stalls = append(m.stalls, make([]uint64, len(code.rows)))
	}
	return m
}

// Release gives the memory of a system back. Neither it nor anything that it
// handed out may be used afterwards.
func (s *System) Release() {
	m := s.spare
	s.spare = spare{}
	for i := range m.pools {
		m.pools[i].reclaim()
	}
	clear(m.recent)
	m.recent = m.recent[:0]
	for k := range m.coverage {
		clear(m.coverage[k])
		clear(m.stalls[k])
	}
	s.program.spares.Put(&m)
}

// reclaim takes all objects back, whatever refers to them.
func (p *pool) reclaim() {
	clear(p.dead)
	clear(p.free)
	p.dead, p.next, p.free = p.dead[:0], 0, append(p.free[:0], p.made...)
}

package explore

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
)

// freeClient is a core that stores a new value at every store.
type freeClient struct{ stepper *ruby.Stepper }

// Perform stores if the access is a store.
func (c freeClient) Perform(tag uint64, b *memory.Block) {
	if line, word, write := c.stepper.Tagged(tag); write {
		b[word] = c.stepper.Store(line, word)
	}
}

// Evict does nothing: free cores hold no values that they read.
func (freeClient) Evict(memory.Addr) {}

// access is one that a free core may make.
type access struct {
	core, line, word int
	write            bool
}

func (c *Config) accesses() []access {
	var list []access
	for core := range c.System.Cores {
		for line := range c.Lines {
			for word := range c.Words {
				list = append(list, access{core, line, word, false}, access{core, line, word, true})
			}
		}
	}
	return list
}

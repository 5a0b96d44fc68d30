package explore

import (
	"slices"

	"ordeal/sim/builtin/ruby"
)

// maxPermutations bounds the permutations of a machine; beyond, lines are not
// renamed.
const maxPermutations = 1 << 10

// permutations lists the renamings that make no difference to a machine, that of
// nothing first: of the controllers that have cores, all with the same number of them,
// and of lines of the same directory and bank.
func (c *Config) permutations(privates int) []ruby.Permutation {
	coreLists := [][]int{upTo(privates)}
	if c.System.Cores%privates == 0 {
		coreLists = arrangements(privates, func(int) int { return 0 })
	}
	n := c.spread()
	lineLists := arrangements(c.Lines, func(line int) int { return line % n })
	if len(coreLists)*len(lineLists) > maxPermutations {
		lineLists = lineLists[:1]
	}
	var list []ruby.Permutation
	for _, cores := range coreLists {
		for _, lines := range lineLists {
			list = append(list, ruby.Permutation{Cores: cores, Lines: lines})
		}
	}
	return list
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// arrangements lists the permutations of n things that keep each in its class,
// in lexical order.
func arrangements(n int, class func(int) int) [][]int {
	var all [][]int
	var place func(list []int)
	place = func(list []int) {
		if len(list) == n {
			all = append(all, slices.Clone(list))
			return
		}
		for i := range n {
			if class(i) == class(len(list)) && !slices.Contains(list, i) {
				place(append(list, i))
			}
		}
	}
	place(nil)
	return all
}

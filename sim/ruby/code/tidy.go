package code

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// jumps reports whether an opcode may go on by its operand c.
func (op opcode) jumps() bool { return operands[op][2] == jumpBy }

// switches reports whether an opcode goes on by a table.
func (op opcode) switches() bool { return op == OpSwitch || op == OpSwitchField }

// leaves reports whether the instruction after one of an opcode never follows it.
func (op opcode) leaves() bool {
	return op == OpJump || op == OpReturn || op == OpEnd || op.switches()
}

// tidy leaves out of a routine the jumps to jumps and to what follows anyway, and what
// nothing leads to. The return at its end stays. All jumps are forward.
func (g *generator) tidy(r *routine) {
	text := r.text
	last := len(text) - 1
	// finally is where control goes that comes to an instruction: on, if that is a jump.
	finally := make([]int, len(text))
	for i := last; i >= 0; i-- {
		if finally[i] = i; text[i].Op == OpJump {
			finally[i] = finally[i+1+int(int32(text[i].C))]
			if to := text[finally[i]]; to.Op == OpReturn || to.Op == OpEnd {
				text[i] = to
				finally[i] = i
			}
		}
	}
	reached := make([]bool, len(text))
	reached[0], reached[last] = true, true
	for i := range text {
		if !reached[i] {
			continue
		}
		for _, to := range g.targets(text, i) {
			reached[finally[to]] = true
		}
		if i < last && !text[i].Op.leaves() {
			reached[i+1] = true
		}
	}
	following := last // the first that stays after an instruction
	for i := last - 1; i >= 0; i-- {
		if text[i].Op == OpJump && finally[i] == following {
			reached[i] = false
		}
		if reached[i] {
			following = i
		}
	}
	place, n := make([]int, len(text)), 0 // of those that stay
	for i := range text {
		if place[i] = n; reached[i] {
			n++
		}
	}
	out, at := make([]Instruction, 0, n), make([]syntax.Pos, 0, n)
	for i, in := range text {
		if !reached[i] {
			continue
		}
		var by []int32
		for _, to := range g.targets(text, i) {
			by = append(by, int32(place[finally[to]]-place[i]-1))
		}
		switch {
		case in.Op.jumps():
			in.C = uint32(by[0])
		case in.Op.switches() && !slices.Equal(by, g.code.Jumps[in.B]):
			in.B = addTo(&g.code.Jumps, by)
		}
		out, at = append(out, in), append(at, r.at[i])
	}
	r.text, r.at = out, at
}

// targets are the instructions that one may jump to.
func (g *generator) targets(text []Instruction, i int) []int {
	switch in := &text[i]; {
	case in.Op.jumps():
		return []int{i + 1 + int(int32(in.C))}
	case in.Op.switches():
		var list []int
		for _, by := range g.code.Jumps[in.B] {
			list = append(list, i+1+int(by))
		}
		return list
	}
	return nil
}

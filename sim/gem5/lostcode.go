package gem5

import (
	"fmt"
	"strconv"
	"strings"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/lazyregexp"
)

// guestFault begins the titles of faults that the guest raised.
const guestFault = "guest fault: "

// programCounterForm is how gem5 prints a program counter and the next one, and
// after some messages the instruction.
var programCounterForm = lazyregexp.New(`PC:? *\(0x([0-9a-f]+)=>0x([0-9a-f]+)\)(?:.*Instr: +([A-Z0-9_]+))?`)

// lostCode makes a fault of a guest whose values leave by pseudo-instructions
// what it shows. Such a guest takes all addresses from constants of its code: it has
// no stack and follows no pointer. So a core has executed something else than the
// executable's code: the memory system returned wrong bytes for a fetch.
func (l *launch) lostCode(result *sim.Result, text string) {
	if result.Outcome != sim.Crash || !strings.HasPrefix(result.Title, guestFault) {
		return
	}
	detail := "A core fetched other code than that of the executable, all of whose addresses are constants"
	if m := programCounterForm().FindStringSubmatch(text); m != nil {
		pc, err := strconv.ParseInt(m[1], 16, 64)
		next, nextErr := strconv.ParseInt(m[2], 16, 64)
		if err == nil && nextErr == nil {
			detail += ": " + l.executed(pc, next-pc, m[3])
		}
	}
	result.Title = sim.OtherCode
	result.Detail = strings.TrimSpace(detail + ".\n" + result.Detail)
}

// executed says what gem5 executed at pc, of a length in bytes and a name if they
// are known, and what the executable has there.
func (l *launch) executed(pc, length int64, name string) string {
	const longest = 15
	text := fmt.Sprintf("at %#x it executed", pc)
	if name != "" {
		text += " " + name
	} else {
		text += " an instruction"
	}
	if length > 0 && length <= longest {
		text += fmt.Sprintf(" of %d bytes", length)
	}
	code := l.image.Code(pc, longest)
	if code == nil {
		return text + ", where the executable has no code"
	}
	return text + fmt.Sprintf("; the executable has % x there, %s", code, l.where(pc))
}

// where is the place in the programs of an address of code.
func (l *launch) where(pc int64) string {
	place, _ := l.image.PlaceOf(pc)
	text := "in " + place.Symbol
	if place.Op >= 0 {
		p := l.jobs[place.Program].Program
		text += fmt.Sprintf(", operation %d (%s) of thread %d", place.Op, p.OpText(p.Threads[place.Thread][place.Op]), place.Thread)
	} else if place.Op == elf.EndOfRound {
		text += fmt.Sprintf(", at the end of a round of thread %d", place.Thread)
	}
	return text
}

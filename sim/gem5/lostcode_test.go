package gem5

import (
	"fmt"
	"strings"
	"testing"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
)

// TestLostCode names what a guest fault means and where it happened, if its
// addresses cannot have come from memory.
func TestLostCode(t *testing.T) {
	r := pseudoRunner(t, "", LogPseudo)
	l := launch{runner: r, work: work{jobs: newJobs(t, 1, 2)}}
	image, err := elf.EmitBatch(programsOf(l.jobs), r.emitOptions(l.work))
	if err != nil {
		t.Fatal(err)
	}
	l.image = image
	var place elf.Place
	for _, p := range image.Places {
		if p.Thread == 1 && p.Op == 3 {
			place = p
		}
	}
	p := l.jobs[0].Program
	inside := fmt.Sprintf("operation 3 (%s) of thread 1.", p.OpText(p.Threads[1][3]))
	for _, test := range []struct{ text, title, detail string }{
		{fmt.Sprintf("src/arch/x86/faults.cc:166: panic: Tried to write unmapped address 0.\nPC: (%#x=>%#x).(0=>1), Instr:   ADD_M_R : ldst   t1b, DS:[rax]\n", place.Address, place.Address+2),
			"memory returned other code than the executable has", fmt.Sprintf("at %#x it executed ADD_M_R of 2 bytes; the executable has %x", place.Address, image.Code(place.Address, 1))},
		{"src/arch/x86/faults.cc:166: panic: Tried to read unmapped address 0x8.\nPC: (0x77=>0x79).(0=>1), Instr:   MOV_R_M : ld\n",
			"memory returned other code than the executable has", "at 0x77 it executed MOV_R_M of 2 bytes, where the executable has no code."},
		{"src/arch/x86/faults.cc:131: panic: Unrecognized/invalid instruction executed:\n {prefixes}\n", "memory returned other code than the executable has", "all of whose addresses are constants."},
		{fmt.Sprintf("src/sim/faults.cc:60: panic: panic condition !FullSystem occurred: fault (General-Protection) detected @ PC (%#x=>%#x).(0=>1)\n", place.Address, place.Address+4),
			"memory returned other code than the executable has", fmt.Sprintf("at %#x it executed an instruction of 4 bytes; ", place.Address)},
		{"src/mem/x.cc:1: panic: Something else\n", "panic: Something else", ""},
	} {
		result, _ := classifyMessages(test.text)
		if l.lostCode(&result, test.text); result.Title != test.title || !strings.Contains(result.Detail, test.detail) {
			t.Errorf("%s%q\n%q\nwant %q", test.text, result.Title, result.Detail, test.detail)
		}
		if strings.Contains(test.text, fmt.Sprintf("%#x=>", place.Address)) && !strings.Contains(result.Detail, inside) {
			t.Errorf("%s%q\nwant %q", test.text, result.Detail, inside)
		}
	}
	passed := sim.Result{Outcome: sim.Passed}
	if l.lostCode(&passed, "PC: (0x1=>0x2)"); passed.Title != "" || passed.Detail != "" {
		t.Errorf("%+v", passed)
	}
}

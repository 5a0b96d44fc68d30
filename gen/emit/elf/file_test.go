package elf_test

import (
	"bytes"
	debugelf "debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

func TestFile(t *testing.T) {
	p := randomProgram(rand.New(rand.NewPCG(8, 8)), shape{threads: 4, ops: 50, locations: 9, layout: gen.Conflict})
	executable := emit(t, p, elf.Options{Rounds: 100})
	if !bytes.Equal(executable, emit(t, p, elf.Options{Rounds: 100})) {
		t.Error("the same program gives different files")
	}
	f, err := debugelf.NewFile(bytes.NewReader(executable))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{debugelf.ET_EXEC, debugelf.EM_X86_64, debugelf.ELFCLASS64}, []any{f.Type, f.Machine, f.Class}); diff != "" {
		t.Errorf("type, machine, class (-want +got):\n%s", diff)
	}
	var memory uint64
	entered := false
	for _, prog := range f.Progs {
		if prog.Flags&debugelf.PF_W != 0 && prog.Flags&debugelf.PF_X != 0 {
			t.Errorf("segment at %#x is writable and executable", prog.Vaddr)
		}
		if prog.Type != debugelf.PT_LOAD && prog.Type != debugelf.PT_GNU_STACK {
			t.Errorf("segment of type %v: a static file needs none", prog.Type)
		}
		if prog.Flags&debugelf.PF_X != 0 && f.Entry >= prog.Vaddr && f.Entry < prog.Vaddr+prog.Filesz {
			entered = true
		}
		if prog.Flags&debugelf.PF_W != 0 {
			memory += prog.Memsz
		}
		if prog.Vaddr%4096 != prog.Off%4096 || prog.Vaddr != prog.Paddr {
			t.Errorf("segment at %#x: file offset %#x, physical address %#x", prog.Vaddr, prog.Off, prog.Paddr)
		}
	}
	if !entered {
		t.Errorf("entry %#x is in no executable segment", f.Entry)
	}
	if need := uint64(elf.LogBytes(p, 100)); memory < need {
		t.Errorf("%d bytes of memory, the log alone needs %d", memory, need)
	}
	if text := f.Section(".text"); text == nil || f.Section(".bss") == nil {
		t.Error("sections for disassemblers are missing")
	}
}

// TestSystemCalls finds each syscall instruction: it follows a mov of a
// constant to eax, and the constant is one of the few that simulators know.
func TestSystemCalls(t *testing.T) {
	p := randomProgram(rand.New(rand.NewPCG(9, 9)), shape{threads: 5, ops: 20, locations: 9, layout: gen.Packed})
	const write, yield, clone, exit, exitGroup = 1, 24, 56, 60, 231
	for _, opts := range []elf.Options{{Rounds: 3}, {Rounds: 3, Sync: elf.SyncRound, Yield: true, Jitter: 9}} {
		want := map[uint32]int{clone: 4, exit: 4, exitGroup: 2, write: 1}
		if opts.Yield {
			want[yield] = 1
		}
		f, err := debugelf.NewFile(bytes.NewReader(emit(t, p, opts)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Section(".text").Data()
		if err != nil {
			t.Fatal(err)
		}
		// The flags of clone, 0x50f00, look like the instruction.
		text = bytes.ReplaceAll(text, []byte{0xbf, 0x00, 0x0f, 0x05, 0x00}, make([]byte, 5))
		for at := 0; ; {
			next := bytes.Index(text[at:], []byte{0x0f, 0x05})
			if next < 0 {
				break
			}
			at += next
			if text[at-5] != 0xb8 {
				t.Fatalf("syscall at offset %#x does not follow mov eax", at)
			}
			want[binary.LittleEndian.Uint32(text[at-4:])]--
			at += 2
		}
		for number, missing := range want {
			if missing != 0 {
				t.Errorf("system call %d: %d more wanted", number, missing)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	program := func(ops ...gen.Op) *gen.Program {
		return &gen.Program{Layout: gen.Spread, Locations: []string{"x"}, Threads: [][]gen.Op{ops}}
	}
	load, store := gen.Op{Kind: gen.Load}, gen.Op{Kind: gen.Store, Value: 1 << 20}
	for _, test := range []struct {
		name string
		p    *gen.Program
		opts elf.Options
		want string // "" for success
	}{
		{"no rounds", program(load), elf.Options{}, "rounds 0"},
		{"bad options", program(load), elf.Options{Rounds: 1, Spin: -1, Jitter: -1, Settle: -2, Sync: 9}, "sync 9"},
		{"bad period", program(load), elf.Options{Rounds: 1, Every: 6}, "every 6"},
		{"invalid program", program(gen.Op{Kind: gen.Load, Loc: 1}), elf.Options{Rounds: 1}, "thread 0 operation 0"},
		{"stride fits", program(store), elf.Options{Rounds: 1<<16 - 1}, ""},
		{"stride too large", program(store), elf.Options{Rounds: 1 << 16}, "65535 rounds"},
		{"memory fits", program(load), elf.Options{Rounds: 1<<29 - 1<<13}, ""},
		{"memory too large", program(load), elf.Options{Rounds: 1 << 29}, "memory exceeds 4294967296 bytes"},
	} {
		_, err := elf.Emit(test.p, test.opts)
		if test.want == "" && err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

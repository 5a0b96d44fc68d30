package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ordeal/gen/emit/elf/x86"
)

const status = 42 // of hand-made programs that come to their end

// program is a hand-made executable: code and, at text, a string.
type program struct {
	code
	text uint64
}

// newProgram has a string at address text.
func newProgram(text string) *program {
	p := &program{text: 0x40_0000 + 64 + 2*56 + 2}
	p.Emit(0xeb, byte(len(text)+1)) // jmp behind the string
	p.Emit(append([]byte(text), 0)...)
	return p
}

func (p *program) image() []byte {
	p.systemCall(syscall.SYS_EXIT_GROUP, status)
	return staticELF(p.Code)
}

// execute runs an executable and returns how it ended, and what it wrote.
func execute(t *testing.T, image []byte) (syscall.WaitStatus, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, image, 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(path)
	cmd.Env, cmd.Dir, cmd.Stdout = []string{}, filepath.Dir(path), &out
	if err, exit := cmd.Run(), (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.Sys().(syscall.WaitStatus), out.String()
}

func requireGuestFilter(t *testing.T) {
	t.Helper()
	if err := GuestFilterError(); err != nil {
		t.Skipf("this machine confines no guests: %v", err)
	}
}

// TestGuests has hand-made executables make system calls: those that a
// generated program has no need of end them, and are harmless without the
// filter, so that it is the filter that ends them.
func TestGuestFilter(t *testing.T) {
	requireGuestFilter(t)
	const inet, stream, writeOnly, sigchld, childFlags = 2, 1, 1, 17, 0x4111 // VFORK, VM, SIGCHLD
	for _, test := range []struct {
		name string
		call func(p *program)
		ends bool
	}{
		{"nothing", func(p *program) {}, false},
		{"write", func(p *program) { p.systemCall(syscall.SYS_WRITE, 1, p.text, 4) }, false},
		{"sched_yield", func(p *program) { p.systemCall(syscall.SYS_SCHED_YIELD) }, false},
		{"socket", func(p *program) { p.systemCall(syscall.SYS_SOCKET, inet, stream, 0) }, true},
		{"open", func(p *program) { p.systemCall(syscall.SYS_OPEN, p.text, writeOnly) }, true},
		{"openat", func(p *program) { p.systemCall(syscall.SYS_OPENAT, 0, p.text, writeOnly, 0) }, true},
		{"fork", func(p *program) { p.systemCall(syscall.SYS_FORK) }, true},
		{"clone a process", func(p *program) { p.systemCall(syscall.SYS_CLONE, sigchld, 0, 0, 0) }, true},
		{"clone with memory only", func(p *program) { p.systemCall(syscall.SYS_CLONE, childFlags, 0, 0, 0) }, true},
		{"clone3", func(p *program) { p.systemCall(435, 0, 0) }, true},
		{"execve", func(p *program) { p.systemCall(syscall.SYS_EXECVE, p.text, 0, 0) }, true},
		{"execveat", func(p *program) { p.systemCall(322, 0, p.text, 0, 0) }, true},
		{"kill", func(p *program) { p.systemCall(syscall.SYS_KILL, 0, 0) }, true},
		{"ptrace", func(p *program) { p.systemCall(syscall.SYS_PTRACE, 99, 0, 0, 0) }, true},
		{"mmap", func(p *program) { p.systemCall(syscall.SYS_MMAP, 0, 4096, 0, 2) }, true},
		{"unlink", func(p *program) { p.systemCall(syscall.SYS_UNLINK, p.text) }, true},
		{"io_uring_setup", func(p *program) { p.systemCall(425, 0, 0) }, true},
		{"write of the x32 ABI", func(p *program) { p.systemCall(1|x32ABI, 9, 0, 0) }, true},
		// Its number there is that of sched_yield here.
		{"getuid of i386", func(p *program) { p.Emit(0xb8, 24, 0, 0, 0, 0xcd, 0x80) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProgram("/etc/passwd-nothing")
			if strings.HasPrefix(test.name, "open") {
				p = newProgram("/etc/passwd")
			}
			test.call(p)
			image := p.image()
			unguarded, _ := execute(t, image)
			// A kernel without system calls of 32 bits ends int 0x80 itself.
			missing := strings.Contains(test.name, "i386") && unguarded.Signal() == syscall.SIGSEGV
			if unguarded.ExitStatus() != status && !missing {
				t.Fatalf("unguarded, it ended with %#x: want status %d", unguarded, status)
			}
			guarded, err := AddGuestFilter(image)
			if err != nil {
				t.Fatal(err)
			}
			end, out := execute(t, guarded)
			want := syscall.SIGSYS
			if missing {
				want = syscall.SIGSEGV
			}
			if test.ends && end.Signal() != want || !test.ends && end.ExitStatus() != status {
				t.Errorf("guarded, it ended with %#x", end)
			}
			if text := map[bool]string{true: "/etc"}[test.name == "write"]; out != text {
				t.Errorf("wrote %q, want %q", out, text)
			}
		})
	}
}

// TestGuestThreads has a guarded program start a thread as generated ones do.
func TestGuestThreads(t *testing.T) {
	requireGuestFilter(t)
	p := newProgram("thread")
	// The thread needs no stack: it writes and exits.
	p.systemCall(syscall.SYS_CLONE, threadFlags, 0, 0, 0)
	parent := p.NewLabel()
	p.Test(x86.RAX, x86.RAX)
	p.Jcc(x86.NotEqual, parent)
	p.systemCall(syscall.SYS_WRITE, 1, p.text, 6)
	p.systemCall(syscall.SYS_EXIT_GROUP, status)
	p.Place(parent)
	p.systemCall(syscall.SYS_SCHED_YIELD)
	p.Jmp(parent)
	p.Resolve()
	guarded, err := AddGuestFilter(staticELF(p.Code))
	if err != nil {
		t.Fatal(err)
	}
	if end, out := execute(t, guarded); end.ExitStatus() != status || out != "thread" {
		t.Errorf("it ended with %#x and wrote %q", end, out)
	}
}

// TestGuestRegisters verifies that a program starts with registers of zero, as
// the kernel would start it.
func TestGuestRegisters(t *testing.T) {
	requireGuestFilter(t)
	p := newCode()
	for _, r := range []x86.Reg{x86.RBX, x86.RCX, x86.RDX, x86.RSI, x86.R8, x86.R10, x86.R11} {
		p.Or(x86.RDI, r)
	}
	zero := p.NewLabel()
	p.Test(x86.RDI, x86.RDI)
	p.Jcc(x86.Equal, zero)
	p.MovImm(x86.RDI, 0)
	p.Store(x86.At(x86.RDI, 0), x86.RDI)
	p.Place(zero)
	p.AddImm(x86.RDI, status)
	p.systemCall(syscall.SYS_EXIT_GROUP)
	p.Resolve()
	guarded, err := AddGuestFilter(staticELF(p.Code))
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := execute(t, guarded); end.ExitStatus() != status {
		t.Errorf("it ended with %#x: a register was not zero", end)
	}
}

func TestAddGuestFilterErrors(t *testing.T) {
	plain := newProgram("").image()
	change := func(at int, value byte) []byte {
		image := bytes.Clone(plain)
		image[at] = value
		return image
	}
	dynamic := bytes.Clone(plain)
	binary.LittleEndian.PutUint32(dynamic[64+56:], uint32(elf.PT_INTERP))
	overlapping := bytes.Clone(plain)
	binary.LittleEndian.PutUint64(overlapping[64+16:], prologueBase)
	for _, test := range []struct {
		name, want string
		image      []byte
	}{
		{"empty", "static x86-64", nil},
		{"script", "static x86-64", append([]byte("#!/bin/sh\n"), make([]byte, 100)...)},
		{"shared", "static x86-64", change(16, 3)},
		{"of another architecture", "static x86-64", change(18, 0xb7)},
		{"dynamic", "not static", dynamic},
		{"cut short", "segments are beyond", plain[:100]},
		{"segments beyond the end", "segments are beyond", change(33, 0xff)},
		{"segments far beyond the end", "segments are beyond", change(39, 0xff)},
		{"overlapping", "overlaps the prologue", overlapping},
	} {
		if _, err := AddGuestFilter(test.image); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// BenchmarkGuarded starts and collects a process that does nothing, without
// and with the guard.
func BenchmarkGuarded(b *testing.B) {
	plain := newProgram("").image()
	guarded, err := AddGuestFilter(plain)
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		image []byte
	}{{"no", plain}, {"yes", guarded}} {
		b.Run(test.name, func(b *testing.B) {
			file, err := memoryFile("benchmark", test.image)
			if err != nil {
				b.Skip(err)
			}
			defer file.Close() // of no use any more
			for b.Loop() {
				cmd := exec.Command(childPath(file))
				if err, exit := cmd.Run(), (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != status {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGuard is the cost of changing an executable of the usual size.
func BenchmarkAddGuestFilter(b *testing.B) {
	plain := append(newProgram("").image(), make([]byte, 16<<10)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AddGuestFilter(plain); err != nil {
			b.Fatal(err)
		}
	}
}

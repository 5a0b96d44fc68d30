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
)

const status = 42 // of hand-made programs that come to their end

// program is a hand-made executable: code and, at text, a string.
type program struct {
	assembly
	text uint32
}

const programBase = 0x40_0000

// newProgram has a string at address text.
func newProgram(text string) *program {
	p := &program{text: programBase + imageHead + 2}
	p.bytes(0xeb, byte(len(text)+1)) // jmp behind the string
	p.bytes(append([]byte(text), 0)...)
	return p
}

// invoke makes a system call with constant arguments.
func (p *program) invoke(number uint32, args ...uint32) {
	for i, arg := range args {
		p.bytes([][]byte{{0xbf}, {0xbe}, {0xba}, {0x41, 0xba}, {0x41, 0xb8}}[i]...)
		p.word(arg)
	}
	p.number(number)
}

func (p *program) image() []byte {
	p.invoke(syscall.SYS_EXIT_GROUP, status)
	return staticELF(programBase, p.code)
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
// guard, so that it is the guard that ends them.
func TestGuestFilter(t *testing.T) {
	requireGuestFilter(t)
	const inet, stream, writeOnly, sigchld, childFlags = 2, 1, 1, 17, 0x4111 // VFORK, VM, SIGCHLD
	for _, test := range []struct {
		name string
		call func(p *program)
		ends bool
	}{
		{"nothing", func(p *program) {}, false},
		{"write", func(p *program) { p.invoke(syscall.SYS_WRITE, 1, p.text, 4) }, false},
		{"sched_yield", func(p *program) { p.invoke(syscall.SYS_SCHED_YIELD) }, false},
		{"socket", func(p *program) { p.invoke(syscall.SYS_SOCKET, inet, stream, 0) }, true},
		{"open", func(p *program) { p.invoke(syscall.SYS_OPEN, p.text, writeOnly) }, true},
		{"openat", func(p *program) { p.invoke(syscall.SYS_OPENAT, 0, p.text, writeOnly, 0) }, true},
		{"fork", func(p *program) { p.invoke(syscall.SYS_FORK) }, true},
		{"clone a process", func(p *program) { p.invoke(syscall.SYS_CLONE, sigchld, 0, 0, 0) }, true},
		{"clone with memory only", func(p *program) { p.invoke(syscall.SYS_CLONE, childFlags, 0, 0, 0) }, true},
		{"clone3", func(p *program) { p.invoke(435, 0, 0) }, true},
		{"execve", func(p *program) { p.invoke(syscall.SYS_EXECVE, p.text, 0, 0) }, true},
		{"execveat", func(p *program) { p.invoke(322, 0, p.text, 0, 0) }, true},
		{"kill", func(p *program) { p.invoke(syscall.SYS_KILL, 0, 0) }, true},
		{"ptrace", func(p *program) { p.invoke(syscall.SYS_PTRACE, 99, 0, 0, 0) }, true},
		{"mmap", func(p *program) { p.invoke(syscall.SYS_MMAP, 0, 4096, 0, 2) }, true},
		{"unlink", func(p *program) { p.invoke(syscall.SYS_UNLINK, p.text) }, true},
		{"io_uring_setup", func(p *program) { p.invoke(425, 0, 0) }, true},
		{"write of the x32 ABI", func(p *program) { p.invoke(1|otherABI, 9, 0, 0) }, true},
		// Its number there is that of sched_yield here.
		{"getuid of i386", func(p *program) { p.bytes(0xb8, 24, 0, 0, 0, 0xcd, 0x80) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProgram("/etc/passwd-nothing")
			if strings.HasPrefix(test.name, "open") {
				p = newProgram("/etc/passwd")
			}
			test.call(p)
			image := p.image()
			// int 0x80 may be missing from the kernel.
			if end, _ := execute(t, image); end.ExitStatus() != status && !strings.Contains(test.name, "i386") {
				t.Fatalf("unguarded, it ended with %#x: want status %d", end, status)
			}
			guarded, err := AddGuestFilter(image)
			if err != nil {
				t.Fatal(err)
			}
			end, out := execute(t, guarded)
			if test.ends && end.Signal() != syscall.SIGSYS || !test.ends && end.ExitStatus() != status {
				t.Errorf("guarded, it ended with %#x", end)
			}
			if want := map[bool]string{true: "/etc"}[test.name == "write"]; out != want {
				t.Errorf("wrote %q, want %q", out, want)
			}
		})
	}
}

// TestGuardThreads has a guarded program start a thread as generated ones do.
func TestGuardThreads(t *testing.T) {
	requireGuestFilter(t)
	p := newProgram("thread")
	// The thread needs no stack: it writes and exits.
	p.invoke(syscall.SYS_CLONE, threadFlags, 0, 0, 0)
	p.bytes(0x85, 0xc0, 0x75, 34) // test eax, eax; jne to the loop
	at := len(p.code)
	p.invoke(syscall.SYS_WRITE, 1, p.text, 6)
	p.invoke(syscall.SYS_EXIT_GROUP, status)
	if skipped := len(p.code) - at; skipped != 34 {
		t.Fatalf("the thread's code takes %d bytes", skipped)
	}
	p.number(syscall.SYS_SCHED_YIELD)
	p.bytes(0xeb, 0xf7) // jmp back to it
	guarded, err := AddGuestFilter(staticELF(programBase, p.code))
	if err != nil {
		t.Fatal(err)
	}
	if end, out := execute(t, guarded); end.ExitStatus() != status || out != "thread" {
		t.Errorf("it ended with %#x and wrote %q", end, out)
	}
}

// TestGuardRegisters sees that a program starts with registers of zero, as
// the kernel would start it.
func TestGuardRegisters(t *testing.T) {
	requireGuestFilter(t)
	var a assembly
	a.bytes(0x48, 0x09, 0xdf) // or rdi, rbx
	a.bytes(0x48, 0x09, 0xcf) // or rdi, rcx
	a.bytes(0x48, 0x09, 0xd7) // or rdi, rdx
	a.bytes(0x48, 0x09, 0xf7) // or rdi, rsi
	a.bytes(0x4c, 0x09, 0xc7) // or rdi, r8
	a.bytes(0x4c, 0x09, 0xd7) // or rdi, r10
	a.bytes(0x4c, 0x09, 0xdf) // or rdi, r11
	a.bytes(0x74, 0x0a)       // je over the next two
	a.bytes(0x31, 0xc0)       // xor eax, eax
	a.bytes(0x48, 0x89, 0x04, 0x25, 0, 0, 0, 0)
	a.bytes(0x83, 0xc7, status) // add edi, status
	a.number(syscall.SYS_EXIT_GROUP)
	guarded, err := AddGuestFilter(staticELF(programBase, a.code))
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := execute(t, guarded); end.ExitStatus() != status {
		t.Errorf("it ended with %#x: a register was not zero", end)
	}
}

func TestGuardRefuses(t *testing.T) {
	plain := newProgram("").image()
	change := func(at int, value byte) []byte {
		image := bytes.Clone(plain)
		image[at] = value
		return image
	}
	dynamic := bytes.Clone(plain)
	binary.LittleEndian.PutUint32(dynamic[64+56:], uint32(elf.PT_INTERP))
	inTheWay := bytes.Clone(plain)
	binary.LittleEndian.PutUint64(inTheWay[64+16:], guardBase)
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
		{"in the way", "in the way", inTheWay},
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

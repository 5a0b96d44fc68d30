package fakegem5

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"ordeal/gen/emit/elf/x86"
)

// The numbers of gem5's pseudo-instructions that executables use, from
// include/gem5/asm/generic/m5ops.h.
const (
	m5Exit      = 0x21
	m5Fail      = 0x22
	m5Sum       = 0x23
	m5WorkBegin = 0x5a
)

// The registers at an undefined instruction, as Linux passes them to a handler
// of SIGILL on x86-64 (struct sigcontext of asm/sigcontext.h), in words. What
// would be RAX is the instruction instead, see handler.
const (
	wordR8, wordR9                                = 0, 1
	wordRDI, wordRSI, wordRDX, wordRAX, wordRCX   = 8, 9, 12, 13, 14
	wordRIP, savedWords                           = 16, 17
	savedAt                                       = 40 // of them in struct ucontext
	segmentBase, segmentBytes, saSiginfo, sigill  = 0x0800_0000, 4096, 4, 4
	saRestorer, saNodefer, sysSigaction, sysWrite = 0x0400_0000, 0x4000_0000, 13, 1
	sysSigreturn                                  = 15
)

// patient returns the executable with barriers that never give up: here a
// thread that reports values takes a signal for each, and how long others wait
// for it depends on the load of the machine.
func patient(file []byte) ([]byte, error) {
	countdown := []byte{0x49, 0xff, 0xc9, 0x0f, 0x84} // dec r9; jz, in package elf's await
	if n := bytes.Count(file, countdown); n != 1 {
		return nil, fmt.Errorf("the executable has %d countdowns of barriers, not one", n)
	}
	// test rdx, rdx: an address, which is never zero.
	return bytes.Replace(file, countdown, []byte{0x48, 0x85, 0xd2, 0x0f, 0x84}, 1), nil
}

// withHandler returns an executable of package elf to which a handler is added
// that a processor enters at each pseudo-instruction: it writes the registers to
// standard output, in one write, and goes on after the instruction. In place of
// the program header of the stack it has one of the handler's segment.
func withHandler(file []byte) ([]byte, error) {
	var header elf.Header64
	if err := binary.Read(bytes.NewReader(file), binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	var a x86.Assembler
	action, handler, restorer := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.LeaLabel(x86.RSI, action)
	for _, part := range []struct {
		label x86.Label
		at    int32
	}{{handler, 0}, {restorer, 16}} {
		a.LeaLabel(x86.RAX, part.label)
		a.Store(x86.At(x86.RSI, part.at), x86.RAX)
	}
	a.MovImm(x86.RDI, sigill)
	a.MovImm(x86.RDX, 0)
	a.MovImm(x86.R10, 8)
	a.MovImm(x86.RAX, sysSigaction)
	a.Syscall()
	a.MovImm(x86.RAX, header.Entry)
	a.JmpReg(x86.RAX)

	a.Place(handler) // rdx: struct ucontext
	rip := x86.At(x86.RDX, savedAt+8*wordRIP)
	a.Load(x86.RCX, rip)
	a.Load(x86.RAX, x86.At(x86.RCX, 0))
	a.Store(x86.At(x86.RDX, savedAt+8*wordRAX), x86.RAX)
	a.AddImm(x86.RCX, 4)
	a.Store(rip, x86.RCX)
	a.MovImm(x86.RDI, 1)
	a.Lea(x86.RSI, x86.At(x86.RDX, savedAt))
	a.MovImm(x86.RDX, 8*savedWords)
	a.MovImm(x86.RAX, sysWrite)
	a.Syscall()
	a.Ret()

	a.Place(restorer)
	a.MovImm(x86.RAX, sysSigreturn)
	a.Syscall()
	a.Emit(make([]byte, -len(a.Code)&7)...)
	a.Place(action)
	for _, word := range []uint64{0, saSiginfo | saRestorer | saNodefer, 0, 0} {
		a.Code = binary.LittleEndian.AppendUint64(a.Code, word)
	}
	a.Resolve()

	out, err := patient(file)
	if err != nil {
		return nil, err
	}
	out = append(out, make([]byte, -len(out)&(segmentBytes-1))...)
	segment := elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W | elf.PF_X), Off: uint64(len(out)),
		Vaddr: segmentBase, Paddr: segmentBase, Filesz: uint64(len(a.Code)), Memsz: uint64(len(a.Code)), Align: segmentBytes,
	}
	last := int(header.Phoff) + int(header.Phnum-1)*binary.Size(segment)
	if _, err := binary.Encode(out[last:], binary.LittleEndian, &segment); err != nil {
		return nil, err
	}
	header.Entry = segmentBase
	if _, err := binary.Encode(out, binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	return append(out, a.Code...), nil
}

// emulate runs an executable that uses pseudo-instructions, and passes the
// arguments of each m5_sum and work_begin to sum and item, in the order in which they were executed. It
// returns how the simulation ends: gem5's cause and the code.
func emulate(dir, executable string, sum func(arguments [6]uint64), item func(uint64)) (cause string, code int, err error) {
	file, err := os.ReadFile(executable)
	if err != nil {
		return "", 0, err
	}
	if file, err = withHandler(file); err != nil {
		return "", 0, err
	}
	path := dir + "/emulated.elf"
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	if err := os.WriteFile(path, file, 0o755); err != nil {
		return "", 0, err
	}
	cmd := exec.Command(path)
	cmd.Env = []string{}
	events, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	cause, code, err = follow(events, sum, item)
	if err != nil {
		return "", 0, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	_ = cmd.Process.Kill() // the guest waits to be ended
	_ = cmd.Wait()
	return cause, code, nil
}

// follow reads the registers at each pseudo-instruction up to the one that ends
// the simulation.
func follow(events io.Reader, sum func(arguments [6]uint64), item func(uint64)) (cause string, code int, err error) {
	for {
		var w [savedWords]uint64
		if err := binary.Read(events, binary.LittleEndian, &w); err != nil {
			return "", 0, fmt.Errorf("the guest ended without m5_exit: %w", err)
		}
		switch instruction := uint32(w[wordRAX]); instruction {
		case 0x040f | m5Sum<<16:
			sum([6]uint64{w[wordRDI], w[wordRSI], w[wordRDX], w[wordRCX], w[wordR8], w[wordR9]})
		case 0x040f | m5WorkBegin<<16:
			item(w[wordRDI])
		case 0x040f | m5Exit<<16:
			return "m5_exit instruction encountered", 0, nil
		case 0x040f | m5Fail<<16:
			return "m5_fail instruction encountered", int(w[wordRSI]), nil
		default:
			return "", 0, fmt.Errorf("the guest executed %#08x at %#x", instruction, w[wordRIP]-4)
		}
	}
}

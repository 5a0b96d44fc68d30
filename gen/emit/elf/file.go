package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"

	"ordeal/gen"
)

// headerBytes is how far into the file and its image the code starts.
const headerBytes = 0x100

// segments is the number of program headers: code, data, stack.
const segments = 3

// file wraps code into an executable: one segment with the headers and the
// code, one of zeroes for all memory, and a stack that is not executable.
// Sections and symbols are there for disassemblers and debuggers only.
func file(a machine, isa gen.ISA, m *memory) []byte {
	code, named := a.Bytes(), a.Names()
	var names, symbols bytes.Buffer
	names.WriteByte(0)
	name := func(s string) uint32 {
		n := names.Len()
		names.WriteString(s + "\x00")
		return uint32(n)
	}
	const textSection, stringSection = 1, 4
	put(&symbols, elf.Sym64{})
	for i, s := range named {
		end := len(code)
		if i+1 < len(named) {
			end = named[i+1].Offset
		}
		put(&symbols, elf.Sym64{
			Name:  name(s.Name),
			Info:  elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC),
			Shndx: textSection,
			Value: imageBase + headerBytes + uint64(s.Offset),
			Size:  uint64(end - s.Offset),
		})
	}
	textEnd := uint64(headerBytes + len(code))
	symbolsAt := (textEnd + 7) &^ 7
	stringsAt := symbolsAt + uint64(symbols.Len())
	sections := []elf.Section64{
		{},
		{
			Name: name(".text"), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
			Addr: imageBase + headerBytes, Off: headerBytes, Size: uint64(len(code)), Addralign: 64,
		},
		{
			Name: name(".bss"), Type: uint32(elf.SHT_NOBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_WRITE),
			Addr: dataBase, Off: symbolsAt, Size: uint64(m.end - dataBase), Addralign: pageBytes,
		},
		{
			Name: name(".symtab"), Type: uint32(elf.SHT_SYMTAB), Off: symbolsAt, Size: uint64(symbols.Len()),
			Link: stringSection, Info: uint32(1 + len(named)), Addralign: 8, Entsize: elf.Sym64Size,
		},
		{
			Name: name(".strtab"), Type: uint32(elf.SHT_STRTAB), Off: stringsAt, Addralign: 1,
		},
	}
	sections[stringSection].Size = uint64(names.Len()) // all names are in now
	sectionsAt := (stringsAt + uint64(names.Len()) + 7) &^ 7

	var out bytes.Buffer
	out.Grow(int(sectionsAt) + binary.Size(sections))
	put(&out, fileHeader(isa, sectionsAt, len(sections), stringSection))
	put(&out, []elf.Prog64{
		{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: imageBase, Paddr: imageBase,
			Filesz: textEnd, Memsz: textEnd, Align: pageBytes,
		},
		{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Vaddr: dataBase, Paddr: dataBase,
			Memsz: uint64(m.end - dataBase), Align: pageBytes,
		},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
	})
	for _, part := range []struct {
		at    uint64
		bytes []byte
	}{{headerBytes, code}, {symbolsAt, symbols.Bytes()}, {stringsAt, names.Bytes()}} {
		out.Write(make([]byte, int(part.at)-out.Len()))
		out.Write(part.bytes)
	}
	out.Write(make([]byte, int(sectionsAt)-out.Len()))
	put(&out, sections)
	return slices.Clip(out.Bytes())
}

// machines are the instruction sets as ELF files name them.
var machines = map[gen.ISA]elf.Machine{gen.X86: elf.EM_X86_64, gen.AArch64: elf.EM_AARCH64, gen.RISCV64: elf.EM_RISCV}

func fileHeader(isa gen.ISA, sectionsAt uint64, sections, stringSection int) elf.Header64 {
	h := elf.Header64{
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(machines[isa]),
		Version:   uint32(elf.EV_CURRENT),
		Entry:     imageBase + headerBytes,
		Phoff:     uint64(binary.Size(elf.Header64{})),
		Shoff:     sectionsAt,
		Ehsize:    uint16(binary.Size(elf.Header64{})),
		Phentsize: uint16(binary.Size(elf.Prog64{})),
		Phnum:     segments,
		Shentsize: uint16(binary.Size(elf.Section64{})),
		Shnum:     uint16(sections),
		Shstrndx:  uint16(stringSection),
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	h.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	h.Ident[elf.EI_OSABI] = byte(elf.ELFOSABI_LINUX) // simulators look at it
	return h
}

// put appends v as the file holds it. Writing structures of fixed size into a
// buffer cannot fail.
func put(buf *bytes.Buffer, v any) {
	if err := binary.Write(buf, binary.LittleEndian, v); err != nil {
		panic("elf: " + err.Error())
	}
}

package explore

import (
	"errors"
	"fmt"

	"ordeal/gen"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby"
)

// actors are the controllers with their cores: what takes the steps.
type actors struct {
	*ruby.Stepper
	config *Config
	cores  cores
}

// cores are what starts accesses at the controllers.
type cores interface {
	// encode appends what the cores of controller i have to remember, and load is
	// its inverse.
	encode(dst []byte, i int) []byte
	load(i int, encoded []byte) error
	// count is the number of steps that the cores of controller i could ever
	// take; do takes one, unless it is not possible now.
	count(i int) int
	do(i, n int) (started bool, err error)
	text(i, n int) string
	// finished reports whether they have come to an end.
	finished(i int) bool
}

// newActors makes the machine that a configuration, which is valid and has its
// defaults, describes.
func newActors(c *Config) (*actors, error) {
	s, err := ruby.NewStepper(c.Protocol, c.System, c.addresses(), ruby.Data{Words: c.Words, Ages: c.Values, Depth: c.Depth, Unordered: c.Unordered, Counters: c.counters})
	if err != nil {
		return nil, err
	}
	a := &actors{Stepper: s, config: c}
	if c.Program != nil {
		a.cores = newProgramCores(a)
	} else {
		a.cores = newFreeCores(a)
	}
	return a, nil
}

// encode appends the state of controller i and of its cores.
func (a *actors) encode(dst []byte, i int, perm *ruby.Permutation) []byte {
	at := len(dst)
	dst = a.cores.encode(append(dst, 0), i)
	dst[at] = byte(len(dst) - at - 1)
	return a.AppendController(dst, i, perm)
}

// load makes controller i and its cores what encode wrote.
func (a *actors) load(i int, encoded []byte) error {
	if len(encoded) == 0 || len(encoded) <= int(encoded[0]) {
		return errors.New("encoded state: empty")
	}
	n := 1 + int(encoded[0])
	if err := a.cores.load(i, encoded[1:n]); err != nil {
		return err
	}
	return a.LoadController(i, encoded[n:])
}

// freeCores make any access at any time, and so do devices.
type freeCores struct {
	*actors
	accesses [][]access // by controller
}

// access is one that a free core may make, or a device.
type access struct {
	core, number, line, word int // number is that of the core among those of its controller
	write                    bool
	device                   bool // the core is a device
}

func newFreeCores(a *actors) *freeCores {
	f := &freeCores{a, make([][]access, a.Controllers())}
	for core := range a.config.System.Cores {
		i, number := a.Home(core)
		a.Port(core).Attach(f)
		for line := range a.config.Lines {
			for word := range a.config.Words {
				load := access{core, number, line, word, false, false}
				store := load
				store.write = true
				f.accesses[i] = append(f.accesses[i], load, store)
			}
		}
	}
	for device := range a.config.System.Devices {
		i := a.DeviceHome(device)
		a.Device(device).Attach(freeDevice{a, device})
		for line := range a.config.Lines {
			for word := range a.config.Words {
				read := access{core: device, line: line, word: word, device: true}
				write := read
				write.write = true
				f.accesses[i] = append(f.accesses[i], read, write)
			}
		}
	}
	return f
}

// transfer is the access of a device: of one word, or of the whole line if
// only one word of lines matters.
func (f *freeCores) transfer(x access) (bool, error) {
	t := memory.Transfer{Addr: f.Line(x.line) + memory.Addr(gen.WordBytes*x.word), Bytes: gen.WordBytes, Write: x.write}
	if f.config.Words == 1 {
		t.Bytes = gen.LineBytes
	}
	if x.write && f.config.Values > 1 {
		t.Data[x.word] = f.DeviceValue(x.core)
	}
	return f.Transfer(x.core, t)
}

// freeDevice is a device that makes any transfer.
type freeDevice struct {
	*actors
	number int
}

// Transferred gives what the device wrote its age.
func (d freeDevice) Transferred(*memory.Block) {
	t, _ := d.Transferring(d.number)
	if !t.Write || d.config.Values < 2 {
		return
	}
	for l := range d.config.Lines {
		if d.Line(l) == t.Addr.Line() {
			d.Settle(d.number, l, t.Addr.Word())
		}
	}
}

// Perform stores if the access is a store.
func (f *freeCores) Perform(tag uint64, b *memory.Block) {
	if line, word, write := f.Tagged(tag); write {
		b[word] = f.Store(line, word)
	}
}

// Evict does nothing: free cores hold no values that they read.
func (*freeCores) Evict(memory.Addr) {}

func (*freeCores) encode(dst []byte, _ int) []byte { return dst }

func (*freeCores) load(int, []byte) error { return nil }

func (*freeCores) finished(int) bool { return false }

func (f *freeCores) count(i int) int { return len(f.accesses[i]) }

func (f *freeCores) do(i, n int) (bool, error) {
	x := f.accesses[i][n]
	if x.device {
		return f.transfer(x)
	}
	if f.Outstanding(i, x.number) >= f.config.Outstanding {
		return false, nil
	}
	return f.Access(x.core, memory.Request{Line: f.Line(x.line), Write: x.write, Tag: f.Tag(x.line, x.word, x.write)})
}

func (f *freeCores) text(i, n int) string {
	x := f.accesses[i][n]
	verb := "loads"
	if x.write {
		verb = "stores"
	}
	who := "core"
	if x.device {
		who = "device"
	}
	text := fmt.Sprintf("%s %d %s line %d", who, x.core, verb, x.line)
	if x.word > 0 {
		text += fmt.Sprintf(" word %d", x.word)
	}
	return text
}

package explore

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/explore/machine"
)

// maxOperations bounds the operations of the threads of one controller: what
// they have done is part of its state.
const maxOperations = 24

// programCores run the threads of a program, each operation as early or as late
// as may be. With Config.IdleLoads any core may also load lines for nothing, which only
// displaces others. Devices run threads as well.
type programCores struct {
	*actors
	byCore  []*programCore
	devices []*programDevice
	ran     []*thread      // by thread of the program
	choices [][]threadStep // by controller
}

// NoCore is the placement of a thread that a device runs.
const NoCore = -1

// programCore is a core with its thread, nil if it has none.
type programCore struct {
	*thread
	stepper *actors
	id      int
	number  int // among the cores of its controller
	idle    int // loads for nothing that it has made
}

// threadStep is an operation of a thread, or an idle load of a line if the
// operation is negative, of a core or of a device.
type threadStep struct {
	core, operation, line int
	device                bool
}

// idleTag is the tag of loads whose value is ignored; operations have even ones.
const idleTag = 1

func newProgramCores(a *actors) *programCores {
	c := &programCores{actors: a, choices: make([][]threadStep, a.Controllers()), ran: make([]*thread, len(a.config.Program.Threads))}
	for id := range a.config.System.Cores {
		i, number := a.Home(id)
		pc := &programCore{stepper: a, id: id, number: number}
		if t := slices.Index(a.config.Placement, id); t >= 0 {
			pc.thread = newThread(a.config.Core, c.code(t))
			c.ran[t] = pc.thread
			for k := range pc.code {
				c.choices[i] = append(c.choices[i], threadStep{id, k, pc.code[k].line, false})
			}
		}
		for line := range a.config.Lines {
			if a.config.IdleLoads > 0 {
				c.choices[i] = append(c.choices[i], threadStep{id, -1, line, false})
			}
		}
		a.Port(id).Attach(pc)
		c.byCore = append(c.byCore, pc)
	}
	c.addDevices()
	return c
}

// code is a thread of the program with where its operations access memory.
func (c *programCores) code(thread int) []instruction {
	places := c.config.places()
	var code []instruction
	for _, op := range c.config.Program.Threads[thread] {
		in := instruction{Op: op}
		if op.Kind.Reads() || op.Kind.Writes() {
			in.line, in.word = places[op.Loc].line, places[op.Loc].word
		}
		code = append(code, in)
	}
	return code
}

// wordPlace is where a location of the program lies in the explored lines.
type wordPlace struct{ line, word int }

// places gives each location its line, in the order in which the program's
// locations name them, and its word.
func (c *Config) places() []wordPlace {
	var lines []int64
	list := make([]wordPlace, len(c.Program.Locations))
	for l := range list {
		offset := c.Program.Offset(gen.LocID(l))
		at := slices.Index(lines, offset/gen.LineBytes)
		if at < 0 {
			at = len(lines)
			lines = append(lines, offset/gen.LineBytes)
		}
		list[l] = wordPlace{at, int(offset % gen.LineBytes / gen.WordBytes)}
	}
	return list
}

// forProgram makes lines, words and values those of the program.
func (c Config) forProgram() Config {
	c.Lines, c.Words, c.Values = 0, 1, 0
	for _, p := range c.places() {
		c.Lines, c.Words = max(c.Lines, p.line+1), max(c.Words, p.word+1)
	}
	if c.Placement == nil {
		core := 0
		for t := range c.Program.Threads {
			if c.Program.AgentOf(gen.ThreadID(t)).Kind == gen.AgentDMA {
				c.Placement = append(c.Placement, NoCore)
				continue
			}
			c.Placement = append(c.Placement, core)
			core++
		}
	}
	c.System.Devices = max(c.System.Devices, c.Program.CountAgents(gen.AgentDMA))
	c.Outstanding, c.Symmetry = maxOutstanding, false
	return c
}

func (c *Config) validateProgram() []error {
	errs := []error{c.Program.Validate(), c.Program.X86Only()}
	if len(c.Program.Transactions) > 0 {
		errs = append(errs, errors.New("program with transactions: cores run none"))
	}
	if c.Core != core.InOrder && c.Core != core.TSO && c.Core != core.OOO && c.Core != core.PSO {
		errs = append(errs, option.Faultf("core", "%s: want inorder, tso, ooo or pso", c.Core))
	}
	if len(c.Placement) != len(c.Program.Threads) {
		errs = append(errs, option.Faultf("placement", "%d cores for %d threads", len(c.Placement), len(c.Program.Threads)))
	}
	for t, id := range c.Placement {
		switch a := c.Program.AgentOf(gen.ThreadID(t)); {
		case a.Kind == gen.AgentFetch:
			errs = append(errs, fmt.Errorf("thread %d is of agent %q: explored are threads of cores and of devices", t, a))
			continue
		case a.Kind == gen.AgentDMA && id == NoCore:
			continue
		}
		if id < 0 || id >= c.System.Cores || slices.Contains(c.Placement[:t], id) {
			errs = append(errs, option.Faultf("placement", "thread %d on core %d: want each on a core of its own, of %d", t, id, c.System.Cores))
		}
	}
	for t, ops := range c.Program.Threads {
		if len(ops) > maxOperations {
			errs = append(errs, fmt.Errorf("thread %d has %d operations: want at most %d", t, len(ops), maxOperations))
		}
	}
	return errs
}

// Perform is the instant of an access.
func (p *programCore) Perform(tag uint64, b *memory.Block) {
	if tag == idleTag || p.thread == nil {
		return
	}
	k, round := int(tag>>2), uint8(tag>>1&1)
	if p.steps[k] == issued && p.rounds[k] == round {
		p.perform(k, &b[p.code[k].word])
	}
}

// Evict squashes loads.
func (p *programCore) Evict(line memory.Addr) {
	if p.thread == nil {
		return
	}
	for l := range p.stepper.config.Lines {
		if p.stepper.Line(l) == line {
			p.evict(l)
		}
	}
}

func (c *programCores) encode(dst []byte, i int) []byte {
	for _, p := range c.byCore {
		if home, _ := c.Home(p.id); home != i {
			continue
		}
		dst = append(dst, byte(p.idle))
		if p.thread != nil {
			dst = p.encode(dst)
		}
	}
	for _, d := range c.devices {
		if d.thread != nil && c.DeviceHome(d.number) == i {
			dst = d.encode(dst)
		}
	}
	return dst
}

func (c *programCores) load(i int, text []byte) error {
	for _, p := range c.byCore {
		if home, _ := c.Home(p.id); home != i {
			continue
		}
		if len(text) == 0 {
			return errThread
		}
		p.idle, text = int(text[0]), text[1:]
		if p.thread == nil {
			continue
		}
		rest, err := p.thread.load(text)
		if err != nil {
			return err
		}
		text = rest
	}
	for _, d := range c.devices {
		if d.thread == nil || c.DeviceHome(d.number) != i {
			continue
		}
		rest, err := d.thread.load(text)
		if err != nil {
			return err
		}
		text = rest
	}
	if len(text) > 0 {
		return errThread
	}
	return nil
}

func (c *programCores) count(i int) int { return len(c.choices[i]) }

func (c *programCores) do(i, n int) (bool, error) {
	x := c.choices[i][n]
	if x.device {
		return c.transfer(x)
	}
	p := c.byCore[x.core]
	if x.operation < 0 {
		if p.idle == c.config.IdleLoads || c.Outstanding(i, p.number) > 0 || p.thread != nil && p.thread.finished() {
			return false, nil
		}
		p.idle++
		return c.Access(x.core, memory.Request{Line: c.Line(x.line), Tag: idleTag})
	}
	k := x.operation
	if !p.mayIssue(k) {
		return false, nil
	}
	in := &p.code[k]
	if from := p.source(k); from >= 0 && in.Kind == gen.Load {
		p.steps[k], p.values[k] = performed, uint64(p.code[from].Value)
		return true, nil
	}
	tag := uint64(k)<<2 | uint64(p.rounds[k])<<1
	if c.Pending(x.core, tag) || c.Outstanding(i, p.number) >= c.config.Outstanding {
		return false, nil // of before it was squashed
	}
	p.steps[k] = issued
	return c.Access(x.core, memory.Request{Line: c.Line(in.line), Write: in.Kind.Writes(), Tag: tag})
}

func (c *programCores) text(i, n int) string {
	x := c.choices[i][n]
	if x.device {
		return c.devices[x.core].text(x)
	}
	if x.operation < 0 {
		return fmt.Sprintf("core %d loads line %d for nothing", x.core, x.line)
	}
	return fmt.Sprintf("core %d: %s", x.core, c.byCore[x.core].text(x.operation))
}

// finished reports whether all threads of controller i are at their end.
func (c *programCores) finished(i int) bool {
	for _, p := range c.byCore {
		if home, _ := c.Home(p.id); home == i && p.thread != nil && !p.thread.finished() {
			return false
		}
	}
	for _, d := range c.devices {
		if d.thread != nil && c.DeviceHome(d.number) == i && !d.thread.finished() {
			return false
		}
	}
	return true
}

// log is the native log of a program that has come to its end: what its threads
// read, and the final memory. The machine has all controllers loaded.
func (c *programCores) log(final []gen.Value) sim.Log {
	w := wire.NewWriter(c.config.Program, 1)
	var log sim.Log
	for t, ran := range c.ran {
		log = w.AppendThread(log, gen.ThreadID(t), ran.reads())
	}
	return w.AppendFinal(log, final)
}

// Outcome is the native log of what the program has computed.
func (m *Machine) Outcome(s machine.State) []byte {
	cores, ok := m.cores.(*programCores)
	if !ok {
		return nil
	}
	m.Start()
	for i := range m.Controllers() {
		m.mustLoad(i, s[i])
		m.now.controllers[i] = &m.parts.controllers.at(s[i]).summary
	}
	var final []gen.Value
	for _, p := range m.config.places() {
		final = append(final, gen.Value(m.now.value(p.line, p.word)))
	}
	return cores.log(final)
}

package explore

import (
	"fmt"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
)

// programDevice is a device that runs a thread of the program, one operation after
// the other, or reads any line at any time if it has none.
type programDevice struct {
	*thread
	stepper *actors
	number  int
}

// addDevices gives the devices the threads of the program that devices run, in order.
func (c *programCores) addDevices() {
	p := c.config.Program
	next := 0 // thread that may be the next one of a device
	for number := range c.config.System.Devices {
		for next < len(p.Threads) && p.AgentOf(gen.ThreadID(next)).Kind != gen.AgentDMA {
			next++
		}
		d := &programDevice{stepper: c.actors, number: number}
		i := c.DeviceHome(number)
		if next < len(p.Threads) {
			d.thread = newThread(core.InOrder, c.code(next))
			c.ran[next] = d.thread
			next++
			for k := range d.code {
				c.choices[i] = append(c.choices[i], threadStep{number, k, d.code[k].line, true})
			}
		} else {
			for line := range c.config.Lines {
				c.choices[i] = append(c.choices[i], threadStep{number, -1, line, true})
			}
		}
		c.Device(number).Attach(d)
		c.devices = append(c.devices, d)
	}
}

// Transferred is the end of the transfer.
func (d *programDevice) Transferred(b *memory.Block) {
	if d.thread == nil {
		return
	}
	for k := range d.code {
		if d.steps[k] == issued {
			d.perform(k, &b[d.code[k].word])
		}
	}
}

// transfer starts an operation of the thread of a device, or a read of a line: of one
// word, or of the whole line if only one word of lines is a location.
func (c *programCores) transfer(x threadStep) (bool, error) {
	d := c.devices[x.core]
	t := memory.Transfer{Addr: c.Line(x.line), Bytes: gen.LineBytes}
	if x.operation < 0 {
		return c.Transfer(x.core, t)
	}
	if !d.mayIssue(x.operation) {
		return false, nil
	}
	in := &d.code[x.operation]
	if c.config.Words > 1 {
		t.Addr, t.Bytes = t.Addr+memory.Addr(gen.WordBytes*in.word), gen.WordBytes
	}
	if t.Write = in.Kind.Writes(); t.Write {
		t.Data[in.word] = uint64(in.Value)
	}
	d.steps[x.operation] = issued
	started, err := c.Transfer(x.core, t)
	if !started {
		d.steps[x.operation] = unissued
	}
	return started, err
}

func (d *programDevice) text(x threadStep) string {
	if x.operation < 0 {
		return fmt.Sprintf("device %d loads line %d", d.number, x.line)
	}
	return fmt.Sprintf("device %d: %s", d.number, d.thread.text(x.operation))
}

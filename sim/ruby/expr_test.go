package ruby

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
)

// core is a core that makes accesses itself.
type core struct{ performed int }

func (c *core) Perform(_ uint64, b *memory.Block) {
	c.performed++
	b[0] = 42
}
func (c *core) Evict(memory.Addr) {}

// runWith stores to a line in a system of two caches. The statements run when
// the grant arrives, and complete the store.
func runWith(t *testing.T, statements string) error {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, name := range []string{"small.slicc", "native.sm", "messages.sm", "cache.sm", "home.sm"} {
		data, err := os.ReadFile("testdata/small/" + name)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: data}
	}
	text := string(fsys["cache.sm"].Data)
	from, to := strings.Index(text, "assert(in_msg.LineAddress"), strings.Index(text, "action(e_evict")
	text = text[:from] + statements + "\n    }\n  }\n  " + text[to:]
	text = strings.Replace(text, "  out_port(requestPort", helpers+"\n  out_port(requestPort", 1)
	fsys["cache.sm"].Data = []byte(text)
	file, err := syntax.Load(fsys, "small.slicc")
	if err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
	p, err := Compile(file)
	if err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
	q, c := event.New(event.FIFO, 1), &core{}
	s := New(q, p, Options{Cores: 2}.WithDefaults())
	s.Port(1).Attach(c)
	s.Port(1).Access(memory.Request{Line: 0x1000, Write: true})
	if err := q.Run(1000); err != nil {
		return err
	}
	if c.performed != 1 {
		t.Fatalf("%s: %d accesses performed", statements, c.performed)
	}
	return nil
}

// helpers are declarations for the statements.
const helpers = `
  DataBlock written;
  DataBlock blockWritten() {
    return written;
  }
  int difference(int a, int b) {
    return a - b;
  }
  NetDest only(NetDest all, MachineID one) {
    NetDest result := all;
    result.clear();
    if (all.isElement(one)) {
      result.add(one);
    }
    return result;
  }
  NetDest cleared() {
    NetDest none;
    return none;
  }
  bool never() {
    error("evaluated");
  }
`

// TestExpressions requires each condition to hold where its statements ran, and
// its opposite to fail.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ statements, condition string }{
		{"", "1 + 2 * 3 == 7"},
		{"", "difference(7, 2) == 5"},
		{"", "7 / 2 == 3 && 7 % 4 == 3"},
		{"", "1 << 4 == 16 && 16 >> 3 == 2"},
		{"", "only(only(cleared(), machineID), machineID).count() == 0"},
		{"", "-1 < 0 && 0 > -1 && 2 >= 2 && 2 <= 2 && 1 != 2"},
		{"", "difference(10, difference(5, difference(3, 1))) == 7"},
		{"", "difference(difference(10, 1), difference(5, 1)) == 5"},
		{"", "is_invalid(tbe) || tbe.TBEState == State:M"},
		{"", "(is_valid(tbe) && never()) == false"},
		{"", "is_valid(cache_entry)"},
		{"State s;", "s == State:I"},
		{"RubyRequestType r;", "r == RubyRequestType:NULL"},
		{"Event e; Event f := Event:Grant;", "e != f && f == Event:Grant"},
		{"MachineID none;", "none != machineID"},
		{"MachineID me := machineID;", "me == machineID"},
		{"", "makeLineAddress(address) == address && makeLineAddress(address, 12) == address && makeLineAddress(address, 13) != address"},
		{"WriteMask m; m.setBlockSize(64);", "m.isEmpty() && m.getBlockSize() == 64 && m.getBlockSizeBits() == 6"},
		{"int x := 3; x := x + x;", "x == 6"},
		{"DataBlock b := cache_entry.DataBlk; DataBlock z;", "b == z"},
		// A local block is a copy; an assignment to a field copies too.
		{"DataBlock b := blockWritten(); b.clear(); DataBlock c := blockWritten();", "b != c"},
		{"cache_entry.DataBlk := blockWritten(); DataBlock c := cache_entry.DataBlk; cache_entry.DataBlk.clear();", "c == blockWritten() && cache_entry.DataBlk != c"},
		// An entry is a reference.
		{"Entry e := cache_entry; e.DataBlk := blockWritten();", "cache_entry.DataBlk == blockWritten()"},
		{"NetDest n; n.add(machineID);", "n.count() == 1 && n.isElement(machineID)"},
		{"NetDest n; n.broadcast(MachineType:L1Cache);", "n.count() == 2"},
		{"NetDest n; n.broadcast(MachineType:DMA);", "n.count() == 0"},
		{"NetDest n; n.add(machineID); NetDest k := n; n.clear();", "k.count() == 1 && n.count() == 0"},
		{"NetDest n; n.broadcast(MachineType:L1Cache); NetDest k := only(n, machineID);", "n.count() == 2 && k.count() == 1"},
		{"NetDest n; n.broadcast(MachineType:L1Cache); n := only(n, machineID);", "n.count() == 1 && n.isElement(machineID)"},
		{"NetDest n; n.broadcast(MachineType:L1Cache); n.remove(machineID);", "n.count() == 1 && !n.isElement(machineID)"},
	} {
		// The core writes into the block it is given.
		statements := "sequencer.writeCallback(address, written);\n" + c.statements
		if err := runWith(t, statements+"assert("+c.condition+");"); err != nil {
			t.Errorf("%s %s: %v", c.statements, c.condition, err)
		}
		err := runWith(t, statements+"assert(!("+c.condition+"));")
		if err == nil || !strings.HasPrefix(err.Error(), "failed assertion in ") {
			t.Errorf("%s %s: the opposite: error %v", c.statements, c.condition, err)
		}
	}
}

// TestLowBits requires as many bits as an address has to be refused, as gem5 does.
func TestLowBits(t *testing.T) {
	err := runWith(t, "Addr a := makeLineAddress(address, 64);")
	if err == nil || !strings.HasPrefix(err.Error(), "makeLineAddress of all bits in L1Cache.c_complete: ") {
		t.Errorf("error %v", err)
	}
}

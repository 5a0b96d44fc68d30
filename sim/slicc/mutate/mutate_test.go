package mutate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
)

// source is a protocol to mutate.
type source struct {
	fsys fs.FS
	root string
}

// sources are the protocols of the tests: a small one, the embedded ones and,
// where a tree is given, gem5's.
func sources(t testing.TB) []source {
	t.Helper()
	list := []source{small}
	for _, name := range protocols.Names() {
		root, err := protocols.Root(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := protocols.Root(name); err == nil {
			list = append(list, source{protocols.Files(), root})
		}
	}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" {
		dir := os.DirFS(filepath.Join(tree, "src/mem/ruby/protocol"))
		for _, name := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
			list = append(list, source{dir, name + ".slicc"})
		}
	}
	return list
}

// small is the protocol that the tests of the runtime use, too.
var small = source{os.DirFS("../../ruby/testdata/small"), "small.slicc"}

func (s source) load(t testing.TB) *Catalogue {
	t.Helper()
	tree, err := syntax.Load(s.fsys, s.root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewCatalogue(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// file finds a file of a tree.
func file(f *syntax.File, name string) *syntax.File {
	if f.Name == name {
		return f
	}
	for d := range f.Includes() {
		if found := file(d.File, name); found != nil {
			return found
		}
	}
	return nil
}

// TestMutants makes mutants of every operator in three ways, from the list,
// from the name and in the text, and requires the same protocol each time, which
// is not the original one and has no fault that a compiler finds.
func TestMutants(t *testing.T) {
	for _, src := range sources(t) {
		p := src.load(t)
		original := printAll(p.Root)
		list := p.Mutants()
		step := len(list)/60 + 1
		for i := 0; i < len(list); i += step {
			m := list[i]
			tree := p.Tree(m)
			if printAll(tree) == original {
				t.Errorf("%s changes nothing", m.ID)
			}
			if _, err := compiler.Check(tree); err != nil {
				t.Errorf("%s: %v", m.ID, err)
			}
			found, err := p.Find(m.ID)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			if printAll(p.Tree(found)) != printAll(tree) || found.Equivalent != m.Equivalent {
				t.Errorf("%s: the name means another mutant", m.ID)
			}
			files, err := Text(src.fsys, src.root, m.ID)
			if err != nil || len(files) != 1 {
				t.Errorf("%s: %d files: %v", m.ID, len(files), err)
				continue
			}
			again, err := syntax.Parse(files[0].Name, files[0].New)
			if err != nil {
				t.Errorf("%s: %v", m.ID, err)
				continue
			}
			if syntax.Print(again) != syntax.Print(file(tree, files[0].Name)) {
				t.Errorf("%s: the text differs from the tree:\n%s", m.ID, files[0].Diff(""))
			}
		}
		if printAll(p.Root) != original {
			t.Errorf("%s: edits changed the original", src.root)
		}
	}
}

func printAll(f *syntax.File) string {
	var sb strings.Builder
	sb.WriteString(syntax.Print(f))
	for d := range f.Includes() {
		sb.WriteString(printAll(d.File))
	}
	return sb.String()
}

// TestListNames requires every name once, and every operator but those that only
// names can ask for.
func TestListNames(t *testing.T) {
	seen := map[Operator]bool{}
	for _, src := range sources(t) {
		ids := map[string]bool{}
		for _, m := range src.load(t).Mutants() {
			if ids[m.ID] {
				t.Errorf("%s is listed twice", m.ID)
			}
			ids[m.ID] = true
			seen[m.Operator] = true
		}
	}
	for _, op := range Operators() {
		if op != Forget && op.Listed() != seen[op] { // no protocol here sends to several controllers
			t.Errorf("operator %s: listed %v, in a protocol %v", op, op.Listed(), seen[op])
		}
	}
}

// TestNamedEdits checks what edits do to the text, line by line.
func TestNamedEdits(t *testing.T) {
	for _, row := range []struct {
		edit string
		want string // the changed lines of the diff
	}{
		{"L1Cache/(M,Load)/swap:l_load,m_popMandatory", "+m_popMandatory; -m_popMandatory;"},
		{"L1Cache/(M,Store)/drop:s_store", "-s_store;"},
		{"L1Cache/(M,Recall)/next:stay", "-transition(M, Recall, I) { +transition(M, Recall) {"},
		{"L1Cache/(II,PutAck)/delete", "-transition({MI, II}, PutAck, I) { +transition(MI, PutAck, I) {"},
		{"L1Cache/(I,Replacement)/copy:M", "+ +transition(I, Replacement, MI) { +t_allocateTBE; +e_evict; +p_put; +d_deallocate; +}"},
		// A row that replaces one leads where the other state stays, unless its message
		// waits; one that was missing stays in its state.
		{"L1Cache/(II,Load)/copy:M", "-transition({IM, MI, II}, {Load, Store, Replacement}) { +transition(II, Load, M) { +l_load; +m_popMandatory; +} + " +
			"+transition({IM, MI}, {Load, Store, Replacement}) { +z_stall; +} + +transition(II, {Store, Replacement}) {"},
		{"L1Cache/(M,Load)/copy:IM", "-l_load; -m_popMandatory; +z_stall;"},
		{"L1Cache/(II,Load)/delete + Small/L1Cache/(II,Load)/copy:M", "+ +transition(II, Load) { +l_load; +m_popMandatory; +} " +
			"-transition({IM, MI, II}, {Load, Store, Replacement}) { +transition({IM, MI}, {Load, Store, Replacement}) { +z_stall; +} + +transition(II, {Store, Replacement}) {"},
		{"L1Cache/(I,Recall)/copy:M@Replacement", "+ +transition(I, Recall, MI) { +t_allocateTBE; +e_evict; +p_put; +d_deallocate; +}"},
		{"Directory/(VM,Put)/copy:OR", "+ +transition(VM, Put) { +y_recycle; +}"},
		{"L1Cache/(M,Load)/insert:e_evict@m_popMandatory", "+e_evict;"},
		{"L1Cache/(M,Load)/replace:l_load>e_evict", "-l_load; +e_evict;"},
		{"L1Cache/w_write/skip:cache_entry.DataBlk", "-cache_entry.DataBlk := in_msg.DataBlk;"},
		{"L1Cache/e_evict/negate:send_evictions", "-if (send_evictions) { +if (!send_evictions) {"},
		{"L1Cache/orderPort/trigger:Recall>PutAck",
			"-trigger(Event:Recall, in_msg.addr, cache_entry, tbe); +trigger(Event:PutAck, in_msg.addr, cache_entry, tbe);"},
		{"L1Cache/g_get/set:out_msg.Type=HomeRequest:Put",
			"-out_msg.Type := HomeRequest:Get; +out_msg.Type := HomeRequest:Put;"},
		{"L1Cache/(M,Store)/drop:s_store + Small/L1Cache/(M,Load)/drop:l_load", "-l_load; -s_store;"},
		// The second edit is of what the first one left.
		{"L1Cache/(M,Load)/insert:e_evict@l_load + Small/L1Cache/(M,Load)/drop:l_load", "-l_load; +e_evict;"},
	} {
		files, err := Text(small.fsys, small.root, "Small/"+row.edit)
		if err != nil {
			t.Errorf("%s: %v", row.edit, err)
			continue
		}
		if got := changedLines(string(files[0].Diff(""))); got != row.want {
			t.Errorf("%s changes\n%s\nwant\n%s", row.edit, got, row.want)
		}
	}
}

// changedLines joins the lines of a diff that were taken out or put in.
func changedLines(diff string) string {
	var lines []string
	for line := range strings.Lines(diff) {
		if (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---") {
			lines = append(lines, line[:1]+strings.TrimSpace(line[1:]))
		}
	}
	return strings.Join(lines, " ")
}

// TestEquivalent compares the marks with what was found by reading the small
// protocol.
func TestEquivalent(t *testing.T) {
	p := small.load(t)
	for edit, want := range map[string]bool{
		// A message that leaves and a line of the cache have nothing in common.
		"L1Cache/(M,Replacement)/swap:t_allocateTBE,e_evict": true,
		// The put takes its data from the TBE that the action before allocates.
		"L1Cache/(M,Replacement)/swap:e_evict,p_put":          true,
		"L1Cache/(M,Replacement)/swap:p_put,d_deallocate":     true,
		"L1Cache/(IM,Grant)/swap:w_write,c_complete":          false, // data against callback
		"L1Cache/(M,Recall)/swap:r_return,d_deallocate":       false, // uses the entry that goes
		"L1Cache/(IM,Grant)/swap:m_popMandatory,o_popOrder":   true,  // two queues
		"L1Cache/(IM,Grant)/swap:c_complete,m_popMandatory":   false, // looks at the queue's head
		"L1Cache/(M,Recall)/dup:e_evict":                      true,
		"L1Cache/(M,Recall)/dup:r_return":                     false,
		"L1Cache/(M,Recall)/drop:e_evict":                     false,
		"L1Cache/(IM,Load)/dup:z_stall":                       true,
		"L1Cache/(IM,Load)/drop:z_stall":                      false,
		"L1Cache/l_load/skip:cacheMemory.setMRU(cache_entry)": true,
		"L1Cache/p_put/skip:out_msg.Requestor":                false,
		"Directory/f_fetch/skip:out_msg.Len":                  false,
	} {
		m, err := p.Find("Small/" + edit)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := m.Equivalent != ""; got != want {
			t.Errorf("%s: marked equivalent %v (%s), want %v", edit, got, m.Equivalent, want)
		}
	}
}

// TestEquivalentRows compares the marks with what was found by reading the protocols.
func TestEquivalentRows(t *testing.T) {
	for id, want := range map[string]string{
		// The victim is gone from the cache, and with its answer from the TBE.
		"MOESI_AMD_Base/CorePair/(MO_I,NB_AckWB)/next:stay": "nothing holds the line",
		"MOESI_AMD_Base/CorePair/(Es,PrbInvData)/next:S":    "nothing holds the line",
		"MOESI_AMD_Base/Directory/(BL,StaleWB)/next:stay":   "nothing holds the line",
		"MESI_Two_Level/L1Cache/(S,Inv)/next:stay":          "nothing holds the line",
		// A copy stays, or the line waits in the TBE.
		"MOESI_AMD_Base/CorePair/(Es,PrbShrData)/next:stay": "",
		"MOESI_AMD_Base/CorePair/(Ms,L2_Repl)/next:stay":    "",
		"MI_example/Directory/(M,PUTX)/next:stay":           "", // its entry is always there
		// The answers come by other queues than the requests.
		"MOESI_AMD_Base/Directory/(BL,RdBlkM)/drop:st_stallAndWaitRequest": "head of its queue",
		// The fill ends by an event of the queue whose head would wait for it.
		"MOESI_AMD_Base/CorePair/(M0_F,C1_Store_L1miss)/drop:zm_stallAndWaitMandatoryQueue": "",
		// Two caches; the same one twice.
		"MOESI_AMD_Base/CorePair/(M1,L2_Repl)/swap:i1_invCluster,i2_invL2": "neither action",
		"MOESI_AMD_Base/CorePair/(E0,PrbInvData)/dup:i0_invCluster":        "twice",
		"MOESI_AMD_Base/CorePair/(E0,PrbInvData)/dup:i2_invL2":             "",
	} {
		name := map[string]string{"MI": "mi", "ME": "mesi-two-level", "MO": "moesi-amd-base"}[id[:2]]
		root, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewCatalogue(root)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Find(id)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := m.Equivalent; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: marked %q, want %q", id, got, want)
		}
	}
}

// TestCopies requires no two mutants of a row to be the same protocol.
func TestCopies(t *testing.T) {
	root, err := protocols.Load("moesi-amd-base")
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewCatalogue(root)
	if err != nil {
		t.Fatal(err)
	}
	seen, copies := map[string]string{}, 0
	for _, m := range p.Mutants() {
		if m.Operator != Copy {
			continue
		}
		copies++
		text := m.Place
		for _, d := range m.changes[0].decls {
			if row, ok := d.(*syntax.Transition); ok && len(row.States) == 1 && len(row.Events) == 1 && row.States[0].Name == m.State && row.Events[0].Name == m.Event {
				text += fmt.Sprint(row.Next.Name, row.RequestTypes)
				for _, a := range row.Actions {
					text += " " + a.Name
				}
			}
		}
		if other := seen[m.Machine+text]; other != "" {
			t.Fatalf("%s is %s", m.ID, other)
		}
		seen[m.Machine+text] = m.ID
	}
	if copies < 500 {
		t.Errorf("%d copies of rows", copies)
	}
}

// TestFindErrors checks that errors help.
func TestFindErrors(t *testing.T) {
	p := small.load(t)
	for id, want := range map[string][]string{
		"Small/L1Cache/(M,Store)/drop:s_stor":                                         {"no action s_stor", "Small/L1Cache/(M,Store)/drop:s_store\n"},
		"Small/L1Cache/(M,Stor)/delete":                                               {"no transition (M,Stor)", "Small/L1Cache/(M,Store)/delete\n"},
		"Small/L1Cach/(M,Store)/delete":                                               {"no machine L1Cach", "Small/L1Cache/(M,Store)/delete\n"},
		"Smal/L1Cache/(M,Store)/delete":                                               {"the protocol is Small", "Small/L1Cache/(M,Store)/delete\n"},
		"Small/L1Cache/(M,Store)/remove":                                              {`unknown operator "remove"`},
		"Small/L1Cache/(M,Store)/drop":                                                {"takes an argument"},
		"Small/L1Cache/(M,Store)/delete:x":                                            {"takes no argument"},
		"Small/L1Cache/(M,Store)/swap:a":                                              {"two arguments"},
		"Small/L1Cache/(M,Store)/drop:s_store#2":                                      {"no such point"},
		"Small/L1Cache/(M,Store)/drop:s_store#x":                                      {"number from 2"},
		"Small/L1Cache/(M,Store)/next:N":                                              {"no state N"},
		"Small/L1Cache/missing/skip:x":                                                {"no action, port or function missing"},
		"Small/L1Cache":                                                               {"want PROTOCOL/MACHINE/PLACE/EDIT"},
		"Small/L1Cache/(M,Store)/drop:s_store + Small/L1Cache/(M,Store)/drop:s_store": {"no such point"},
	} {
		_, err := p.Find(id)
		if err == nil {
			t.Errorf("%s is found", id)
			continue
		}
		for _, part := range append(want, "nearest are") {
			if !strings.Contains(err.Error()+"\n", part) {
				t.Errorf("%s: the error has no %q: %v", id, part, err)
			}
		}
	}
}

// TestBodies requires the mutants of bodies to be those of the whole list, and one to be given
// where no more are wanted.
func TestBodies(t *testing.T) {
	for _, s := range sources(t) {
		p := s.load(t)
		want := slices.DeleteFunc(slices.Clone(p.Mutants()), func(m Mutant) bool { return m.State != "" })
		ids := func(list []Mutant) (ids []string) {
			for _, m := range list {
				ids = append(ids, m.ID)
			}
			return ids
		}
		if diff := cmp.Diff(ids(want), ids(slices.Collect(p.Bodies()))); diff != "" || len(want) == 0 {
			t.Errorf("%s: %d mutants of bodies (-want +got)\n%s", p.Name, len(want), diff)
		}
		for m := range p.Bodies() {
			if m.ID != want[0].ID {
				t.Errorf("%s: the first is %s, want %s", p.Name, m.ID, want[0].ID)
			}
			break
		}
	}
}

// FuzzFind requires no name to be more than an error, and the name of what is
// found to be found again.
func FuzzFind(f *testing.F) {
	p := small.load(f)
	for i, m := range p.Mutants() {
		if i%50 == 0 {
			f.Add(m.ID)
		}
	}
	f.Add("Small/L1Cache/(M,Store)/insert:e_evict + Small/L1Cache/(I,Recall)/copy:M")
	f.Fuzz(func(t *testing.T, id string) {
		m, err := p.Find(id)
		if err != nil {
			if err.Error() == "" {
				t.Errorf("%q: an error without a text", id)
			}
			return
		}
		again, err := p.Find(m.ID)
		if err != nil || again.ID != m.ID {
			t.Fatalf("%q is %q, which is %q: %v", id, m.ID, again.ID, err)
		}
		if diff := cmp.Diff(printAll(p.Tree(m)), printAll(p.Tree(again))); diff != "" {
			t.Errorf("%q found again (-want +got):\n%s", m.ID, diff)
		}
	})
}

package mutate

import (
	"io/fs"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// known are corrections of defects that gem5's own protocols have, of v24.0 and v25.1, so that
// a failure is one of a user's change. Each is a list of edits of rows: of those that do not fit
// a protocol, since it lacks the row or the action, or does what they do, none is made.
var known = []struct {
	id, protocol string
	defect       string // without the correction
	edits        []string
}{
	{
		"mesi-is-i", "MESI_Two_Level",
		"a load that completes in IS_I, with data older than the invalidation that came before it, " +
			"stays in the load queue together with loads behind it that performed earlier. The correction is partial: " +
			"a load that has become the oldest by then is exempt from the notice (2 of 3,000 runs)",
		inRows("L1Cache", "insert:forward_eviction_to_cpu@s_deallocateTBE", "(IS_I,Data_all_Acks)", "(IS_I,DataS_fromL1)"),
	},
	{
		"amd-clean-victim", "MOESI_AMD_Base",
		"a clean victim, which carries no data, is written to memory and to the third level",
		slices.Concat(inRows("Directory", "drop:d_writeDataToMemory", "(U,VicClean)"), inRows("Directory", "drop:al_allocateL3Block", "(U,VicClean)")),
	},
	{
		"amd-stale-notification", "MOESI_AMD_Base",
		"a canceled victim sends a notification that the directory no longer waits for",
		inRows("CorePair", "drop:ss_sendStaleNotification", "(I_C,NB_AckWB)", "(S0_C,NB_AckWB)", "(S1_C,NB_AckWB)", "(S_C,NB_AckWB)"),
	},
	{
		"amd-sibling-store", "MOESI_AMD_Base",
		"a store of one core of a pair takes the line from its sibling without notifying its load queue",
		slices.Concat(
			inRows("CorePair", "insert:forward_eviction_to_cpu1@i1_invCluster",
				"(I,C0_Store_L1miss)", "(S,C0_Store_L1miss)", "(S,C0_Store_L1hit)", "(O,C0_Store_L1miss)", "(O,C0_Store_L1hit)",
				"(Es,C0_Store_L1miss)", "(Es,C0_Store_L1hit)", "(Ms,C0_Store_L1miss)", "(Ms,C0_Store_L1hit)",
				"(E1,C0_Store_L1miss)", "(M1,C0_Store_L1miss)", "(M1,C0_Store_L1hit)", "(I_M1M0,NB_AckM)"),
			inRows("CorePair", "insert:forward_eviction_to_cpu0@i0_invCluster",
				"(I,C1_Store_L1miss)", "(S,C1_Store_L1miss)", "(S,C1_Store_L1hit)", "(O,C1_Store_L1miss)", "(O,C1_Store_L1hit)",
				"(Es,C1_Store_L1miss)", "(Es,C1_Store_L1hit)", "(Ms,C1_Store_L1miss)", "(Ms,C1_Store_L1hit)",
				"(E0,C1_Store_L1miss)", "(M0,C1_Store_L1miss)", "(M0,C1_Store_L1hit)", "(I_M0M1,NB_AckM)"),
		),
	},
}

// inRows lists an edit of several rows of a machine, without the protocol.
func inRows(machine, edit string, rows ...string) (list []string) {
	for _, r := range rows {
		list = append(list, machine+"/"+r+"/"+edit)
	}
	return list
}

// Corrected returns a protocol without the known defects of gem5's files, and the corrections
// that changed something. It shares all that is not edited with root.
func Corrected(root *syntax.File) (*syntax.File, []string) {
	tree, _, applied := corrected(root)
	return tree, applied
}

// CorrectedText makes the edits of Corrected in the source files of the protocol whose root
// file is root in fsys, as Text does, and gives the files that change.
func CorrectedText(fsys fs.FS, root string) (files []File, applied []string, err error) {
	tree, err := syntax.Load(fsys, root)
	if err != nil {
		return nil, nil, err
	}
	_, edits, applied := corrected(tree)
	if len(edits) > 0 {
		files, err = Text(fsys, root, strings.Join(edits, joint))
	}
	return files, applied, err
}

// corrected returns the names of the edits, too.
func corrected(root *syntax.File) (tree *syntax.File, edits, applied []string) {
	c, err := NewCatalogue(root)
	if err != nil {
		return root, nil, nil // no protocol that is known
	}
	for _, k := range known {
		before := len(edits)
		for _, e := range k.edits {
			m, err := c.single(c.Name + "/" + e)
			if k.protocol != c.Name || err != nil || c.has(&m) {
				continue
			}
			edits = append(edits, m.ID)
			if c, err = NewCatalogue(c.Tree(m)); err != nil {
				panic("an edit of a row takes the protocol's name or its machines away: " + err.Error())
			}
		}
		if len(edits) > before {
			applied = append(applied, k.id)
		}
	}
	return c.Root, edits, applied
}

// has reports whether a row has the action that an edit inserts at that place already.
func (p *Catalogue) has(m *Mutant) bool {
	e, err := parseEdit(m.ID[strings.LastIndexByte(m.ID, '/')+1:])
	if err != nil || e.op != Insert {
		return false
	}
	actions := p.machine(m.Machine).row(m.State, m.Event).Actions
	at := index(actions, e.what, 1)
	return at > 0 && actions[at-1].Name == e.arg
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	realbugs "ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

func newMutate(e *env) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "mutate",
		Short: "Inject bugs into protocols and measure which are found",
		Long: `A mutant is a small edit of a coherence protocol. Its name says where and what:
PROTOCOL/MACHINE/(STATE,EVENT)/OPERATOR:ARGUMENTS for a transition, or the name of an
action, a port or a function in place of the pair.`,
	}, newMutateList(e), newMutateShow(e), newMutateApply(e), newMutateRun(e), newMutateBugs(e), audit.NewRepair(e))
}

// source names the protocol to mutate.
type source struct {
	protocol string
	machine  config.Machine // its options that a protocol has: slicc, repair
}

func (s *source) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.protocol, "protocol", "", "embedded protocol: "+strings.Join(protocols.Names(), ", "))
	command.Complete(cmd, "protocol", protocols.Names())
	command.Declare(cmd, &s.machine, "slicc", "builtins", "slicc-path", "repair")
}

// target is the protocol.
func (s *source) target() (mutation.Target, error) {
	switch {
	case s.machine.SLICC != "" && s.protocol != "":
		return mutation.Target{}, errors.New("--protocol contradicts --slicc: want one of them")
	case s.machine.SLICC != "":
		return mutation.File(s.machine.Source(), s.machine.Repair)
	case s.protocol == "":
		return mutation.Target{}, errors.New("want --protocol or --slicc")
	case s.machine.Repair:
		return mutation.Target{}, errors.New("--repair: the embedded protocols have nothing to repair")
	}
	return embedded(s.protocol)
}

// embedded is the embedded protocol that --protocol names.
func embedded(name string) (mutation.Target, error) {
	if !slices.Contains(protocols.Names(), name) {
		return mutation.Target{}, fmt.Errorf("--protocol: unknown protocol %q%s", name, messages.Hint(name, protocols.Names()))
	}
	return mutation.Embedded(name)
}

// mutants is the catalogue of the protocol's mutants.
func (s *source) mutants() (*mutate.Catalogue, error) {
	t, err := s.target()
	if err != nil {
		return nil, command.Usage(err)
	}
	catalogue, err := mutate.NewCatalogue(t.Tree)
	return catalogue, s.machine.Source().Explain(err)
}

// ofID is the source of a mutant: where no protocol is given, the embedded one
// of the name in the mutant's.
func (s *source) ofID(id string) error {
	if s.protocol != "" || s.machine.SLICC != "" {
		return nil
	}
	name, rest, _ := strings.Cut(id, "/")
	var known []string
	for _, p := range protocols.Names() {
		root, err := protocols.Root(p)
		if err != nil {
			return err
		}
		if root == name+".slicc" {
			s.protocol = p
			return nil
		}
		known = append(known, strings.TrimSuffix(root, ".slicc"))
	}
	hint := ""
	if closest, ok := messages.Closest(name, known); ok {
		hint = fmt.Sprintf(" (did you mean %q?)", closest+"/"+rest)
	}
	return fmt.Errorf("mutant %s: no embedded protocol has the name %q%s: want --protocol or --slicc", id, name, hint)
}

// files are where the protocol's texts are.
func (s *source) files() (fsys fs.FS, root string, err error) {
	if s.machine.SLICC != "" {
		texts, root, _ := s.machine.Source().Texts()
		return texts, root, nil
	}
	root, err = protocols.Root(s.protocol)
	return protocols.Files(), root, err
}

func newMutateList(e *env) *cobra.Command {
	var s source
	var operators []string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the mutants of a protocol",
		Args:  command.Arguments(0, 0, "no arguments"),
	}
	s.flags(cmd)
	cmd.Flags().StringSliceVar(&operators, "operator", nil, "only these operators: "+strings.Join(operatorNames(), ", "))
	cmd.Flags().BoolVar(&all, "equivalent", false, "also those known to be equivalent, with the reason")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	cmd.RunE = command.Body(func(context.Context, []string) error {
		accept, err := operatorFilter(operators)
		if err != nil {
			return command.Usage(err)
		}
		p, err := s.mutants()
		if err != nil {
			return err
		}
		for _, m := range p.Mutants() {
			if !accept(&m) || m.Equivalent != "" && !all && !asJSON {
				continue
			}
			if err := printMutant(e, &m, asJSON); err != nil {
				return err
			}
		}
		return nil
	})
	return cmd
}

// listedMutant is a mutant as JSON. Equivalent is the reason where it is known to be.
type listedMutant struct {
	ID         string `json:"id"`
	Operator   string `json:"operator"`
	Machine    string `json:"machine"`
	Place      string `json:"place"`
	Equivalent string `json:"equivalent"`
}

func newListedMutant(m *mutate.Mutant) listedMutant {
	return listedMutant{m.ID, string(m.Operator), m.Machine, m.Place, m.Equivalent}
}

// shownMutant is what show --json prints.
type shownMutant struct {
	listedMutant
	Diff    string            `json:"diff"` // unified
	Results []mutation.Result `json:"results,omitempty"`
	Proofs  []mutation.Proof  `json:"proofs,omitempty"`
}

func printMutant(e *env, m *mutate.Mutant, asJSON bool) error {
	if asJSON {
		return e.PrintJSONLine(newListedMutant(m))
	}
	text := m.ID
	if m.Equivalent != "" {
		text += "  (equivalent: " + m.Equivalent + ")"
	}
	_, err := fmt.Fprintln(e.Stdout, text)
	return err
}

// operatorNames are those of the operators whose mutants are listed.
func operatorNames() []string {
	var names []string
	for _, o := range mutate.Operators() {
		if o.Listed() {
			names = append(names, string(o))
		}
	}
	return names
}

// operatorFilter accepts the mutants of some operators, or of all.
func operatorFilter(names []string) (func(*mutate.Mutant) bool, error) {
	for _, name := range names {
		if o := mutate.Operator(name); slices.Contains(mutate.Operators(), o) && !o.Listed() {
			return nil, fmt.Errorf("--operator: mutants of %s are not listed: they are made from their names (ordeal help slicc)", name)
		}
		if !slices.Contains(operatorNames(), name) {
			return nil, fmt.Errorf("--operator: unknown operator %q%s", name, messages.Hint(name, operatorNames()))
		}
	}
	return func(m *mutate.Mutant) bool { return len(names) == 0 || slices.Contains(names, string(m.Operator)) }, nil
}

func newMutateShow(e *env) *cobra.Command {
	var s source
	var explore, asJSON bool
	var maxStates uint64
	var dir string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print what a mutant changes, as a unified diff",
		Args:  command.Arguments(1, 1, "one ID, as list prints it"),
	}
	s.flags(cmd)
	completeMutants(cmd)
	command.JSONFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&dir, "results", "", "also what is recorded in this directory of mutate run: the runs that kill it, and the shortest counterexample")
	cmd.Flags().BoolVar(&explore, "explore", false, "also a shortest counterexample, if small machines have one")
	cmd.Flags().Uint64Var(&maxStates, "max-states", defaultMaxStates, "with --explore: most orbits of states of a machine")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if err := s.ofID(args[0]); err != nil {
			return command.Usage(err)
		}
		p, err := s.mutants()
		if err != nil {
			return err
		}
		m, err := p.Find(args[0])
		if err != nil {
			return command.Usage(err)
		}
		diff, err := s.diff(m.ID, "")
		if err != nil {
			return command.Usage(err)
		}
		var results []mutation.Result
		var proofs []mutation.Proof
		if dir != "" {
			if results, proofs, err = mutation.Recorded(run.Resolve(dir), m.ID); err != nil {
				return command.Usage(err)
			}
		}
		if explore {
			if proofs, err = s.prove(ctx, m.ID, maxStates); err != nil {
				return err
			}
		}
		if asJSON {
			return e.PrintJSON(shownMutant{newListedMutant(&m), string(diff), results, proofs})
		}
		if m.Equivalent != "" {
			fmt.Fprintf(e.Stderr, "equivalent: %s\n", m.Equivalent)
		}
		if _, err = e.Data.Write(diff); err != nil {
			return err
		}
		showResults(e, results)
		showProofs(e, proofs)
		return nil
	})
	return cmd
}

// diff is the change of a mutant in unified form.
func (s *source) diff(id, dir string) ([]byte, error) {
	fsys, root, err := s.files()
	if err != nil {
		return nil, err
	}
	return mutate.Patch(fsys, root, id, dir)
}

// listedPatch is the patch of the proposed repairs of listed defects; nil if the only ID is
// of none.
func listedPatch(tree string, ids []string) ([]byte, error) {
	known, err := realbugs.KnownDefects()
	if err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) {
		files, file, _ := protocols.Source{Root: filepath.Join(tree, protocols.Folder, filepath.FromSlash(name))}.Texts()
		return fs.ReadFile(files, file)
	}
	var bugs []*realbugs.Bug
	for _, id := range ids {
		list := known.Proposed(id)
		if len(list) > 1 { // a pattern, which does not mean the defects of another version
			list = slices.DeleteFunc(list, func(b *realbugs.Bug) bool {
				_, err := realbugs.Patch([]*realbugs.Bug{b}, read)
				return b.Base != "" && err != nil
			})
		}
		if len(list) == 0 && len(ids) > 1 {
			return nil, fmt.Errorf("%q: want a defect of bench bugs --stock with a proposed repair", id)
		}
		bugs = append(bugs, list...)
	}
	if len(bugs) == 0 {
		return nil, nil
	}
	return realbugs.Patch(bugs, read)
}

// mutantPatch is the patch of a mutant, of the repairs of known defects, or of both.
func mutantPatch(tree, protocol, id string, repairs bool) ([]byte, error) {
	name, _, _ := strings.Cut(id, "/")
	switch name = cmp.Or(protocol, name); {
	case id == "" && !repairs:
		return nil, errors.New("want an ID or --repair")
	case name == "":
		return nil, errors.New("--repair: want --protocol")
	}
	root, err := protocols.InTree(tree, name)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(tree, filepath.Dir(root))
	if err != nil {
		return nil, err
	}
	files, err := run.Edited(root, repairs, id)
	var diff []byte
	for _, f := range files {
		diff = append(diff, f.Diff(filepath.ToSlash(folder))...)
	}
	return diff, err
}

func newMutateApply(e *env) *cobra.Command {
	var tree, out, protocol string
	var repairs bool
	cmd := &cobra.Command{
		Use:   "apply [ID…] --gem5-tree DIR -o PATCH",
		Short: "Write a mutant or the repairs of a gem5 tree as a patch",
		Long: `Write a mutant of a protocol of a gem5 source tree as a patch that "patch -p1"
applies from the root of the tree; with --repair, the repairs of the known defects of gem5's files,
and the mutant, if there is one, of what is repaired. What mutate repair proposes is a mutant, too.
The IDs of defects of bench bugs --stock stand for their proposed repairs, which make one patch; * in
them is any text, and what several repairs change alike is changed once. The tree itself stays as it is.`,
		Example: `  ordeal mutate apply 'MI_example/Directory/(M_DWR,DMA_WRITE)/copy:M_DRDI' --gem5-tree gem5 -o fix.patch
  ordeal mutate apply --repair --protocol MESI_Two_Level --gem5-tree gem5 -o fix.patch
  ordeal mutate apply 'S-ME-*' --gem5-tree gem5 -o fix.patch`,
		Args: command.Arguments(0, -1, "one ID, as list --slicc prints it, IDs of defects, or --repair and --protocol"),
	}
	cmd.Flags().StringVar(&tree, "gem5-tree", "", "root of a gem5 source tree")
	cmd.Flags().BoolVar(&repairs, "repair", false, "correct the known defects of gem5's files")
	cmd.Flags().StringVar(&protocol, "protocol", "", "protocol of the tree; default that of the ID")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write; standard output without it")
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		if tree == "" {
			return command.Usage(errors.New("want --gem5-tree"))
		}
		diff, err := listedPatch(tree, args)
		switch {
		case err == nil && diff != nil && (repairs || protocol != ""):
			err = fmt.Errorf("%s: the proposed repair of a defect: neither --repair nor --protocol", args[0])
		case err == nil && diff == nil:
			diff, err = mutantPatch(tree, protocol, strings.Join(args, ""), repairs)
		}
		if err != nil {
			return command.Usage(err)
		}
		if out == "" {
			_, err = e.Data.Write(diff)
			return err
		}
		if err := run.WriteOutput(out, diff, run.Plain); err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "apply it with: patch -p1 -d %s < %s\n", messages.QuotedPath(tree), messages.QuotedPath(out))
		return nil
	})
	return cmd
}

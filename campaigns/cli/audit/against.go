package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/lab/history"
	"ordeal/campaigns/run"
)

// against audits what differs from a commit.
func (x *auditCommand) against(ctx context.Context) error {
	r, err := x.change(ctx)
	if err != nil {
		return command.Usage(err)
	}
	var issues []config.Known
	if err := x.known.Replace(x.Env, &issues); err != nil {
		return err
	}
	command.CollectSeldom()
	if x.dir, err = command.OutputDir(x.dir, "against"); err == nil {
		err = run.LockDir(x.dir)
	}
	if err != nil {
		return err
	}
	r.Dir = x.dir
	line := x.Progress("read the protocols")
	r.Progress = line.Show
	report, err := r.Run(ctx)
	line.Close()
	if err != nil {
		return err
	}
	known := func(title string) bool {
		issue, _ := config.FindKnown(issues, title, "", time.Now(), nil)
		return issue != nil
	}
	err = errors.Join(
		run.WriteJSON(filepath.Join(x.dir, "against.json"), report, true),
		run.StreamFile(filepath.Join(x.dir, "against.txt"), false, report.WriteAgainst),
		run.StreamFile(filepath.Join(x.dir, "report.sarif"), false, func(w io.Writer) error { return report.WriteSARIF(w, run.ToolVersion(), r.Clone) }),
		x.Print(x.json, report, report.WriteAgainst),
	)
	return x.Found(x.decided(report, known), err)
}

// decided is the exit status of a comparison.
func (x *auditCommand) decided(r *history.Report, known func(title string) bool) int {
	row := r.Commits[0]
	switch {
	case len(r.New(x.title, known)) > 0, x.title == "" && len(row.Broken) > 0:
		return summary.ExitFinding
	case x.title != "" && r.Undecided():
		return skip
	case x.title == "" && (r.Undecided() || len(row.Changed) == 0):
		return summary.ExitUndecided
	}
	return summary.ExitOK
}

// change is the comparison that the flags ask for.
func (x *auditCommand) change(ctx context.Context) (*history.Replay, error) {
	r := &history.Replay{Since: x.base, Against: true, Workers: runtime.GOMAXPROCS(0), Audit: x.o}
	dir := x.tree
	switch {
	case len(x.o.Builtins) > 0 || len(x.o.SLICCPath) > 0:
		return nil, errors.New("--against: --builtins and --slicc-path name files of one version: want protocols whose files are in the repository")
	case x.o.SLICC != "" && (x.tree != "" || x.o.Protocol != ""):
		return nil, errors.New("--against: want --slicc, or --gem5-tree and --protocol, or none of them for all protocols that changed")
	case x.o.SLICC != "":
		dir = filepath.Dir(x.o.SLICC)
		r.Only = []string{strings.TrimSuffix(filepath.Base(x.o.SLICC), ".slicc")}
	case x.o.Protocol != "":
		r.Only = []string{x.o.Protocol}
	}
	if x.cpu == 0 && x.o.Steps == 0 {
		return nil, errNoBudget
	}
	r.Audit.SLICC, r.Audit.Protocol, r.Audit.CPU = "", "", time.Duration(x.cpu)
	var err error
	if r.Audit.Engines, err = audit.ParseEngines(x.engines); err != nil {
		return nil, err
	}
	if dir == "" {
		dir = "."
	}
	if r.Clone, err = bugs.OpenClone(ctx, dir); err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	c, err := r.Clone.Against(ctx, x.base)
	if err != nil {
		return nil, fmt.Errorf("--against %s: %w", x.base, err)
	}
	r.Commits = []*bugs.Commit{c}
	return r, x.named(ctx, r)
}

// named demands that the protocol that is asked for is there, before the change or after it.
func (x *auditCommand) named(ctx context.Context, r *history.Replay) error {
	if r.Only == nil {
		return nil
	}
	var names []string
	for _, id := range append([]string{r.Commits[0].ID}, r.Commits[0].Parents...) {
		files, err := r.Clone.Protocols(ctx, id)
		if err != nil && !errors.Is(err, bugs.ErrNoProtocols) {
			return err
		}
		for _, root := range files.Roots() {
			names = append(names, strings.TrimSuffix(path.Base(root), ".slicc"))
		}
	}
	if name := path.Base(r.Only[0]); !slices.Contains(names, name) {
		return fmt.Errorf("--against: no protocol of a CPU is named %s, before or after the change%s", name, messages.Hint(name, names))
	}
	return nil
}

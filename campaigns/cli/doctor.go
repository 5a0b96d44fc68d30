package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/sandbox"
	"ordeal/sim/scratch"
)

func newDoctor(e *env) *cobra.Command {
	d := doctor{env: e}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Report what is installed here, what would work and what is missing",
		Long:  `Look at this machine: what would work here, and what is missing for the rest.`,
		Args:  command.Arguments(0, 0, "nothing"),
		RunE:  command.Body(func(ctx context.Context, _ []string) error { return d.run(ctx) }),
	}
	command.JSONFlag(cmd, &d.json)
	return cmd
}

// doctor is the doctor command.
type doctor struct {
	*env
	status int
	json   bool
	lines  []doctorLine // for JSON
}

// doctorLine is what doctor says of a tool: ok, warn, no or none.
type doctorLine struct {
	State  string `json:"state"`
	Tool   string `json:"tool"`
	Detail string `json:"detail"`
}

func (d *doctor) run(ctx context.Context) error {
	d.line("ok", "ordeal", fmt.Sprintf("%s, %s, %s/%s", run.ToolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	d.host(ctx)
	d.sandbox()
	cores := runtime.NumCPU()
	if cores == 1 {
		d.line("warn", "cores", "1: threads cannot race; expect every run to be sequentially consistent")
	} else {
		d.line("ok", "cores", fmt.Sprintf("%d: programs of up to %d threads race at full speed", cores, cores))
	}
	d.tool(ctx, "cc", "to compile gen --emit c", "--version")
	d.tool(ctx, "herd7", "to simulate gen --emit litmus", "-version")
	d.tool(ctx, "litmus7", "to run gen --emit litmus on hardware", "-version")
	d.gem5(ctx)
	d.tool(ctx, "chromium", "to look at HTML reports in tests", "--version")
	if d.json {
		if err := d.PrintJSON(map[string]any{"tools": d.lines}); err != nil {
			return err
		}
	}
	return command.Exit(d.status)
}

// line says something of a tool, or more of the one before.
func (d *doctor) line(state, what, detail string) {
	if d.json {
		switch last := len(d.lines) - 1; {
		case state == "":
			d.lines[last].Detail += " " + detail
		case what == "":
			what = d.lines[last].Tool
			fallthrough
		default:
			d.lines = append(d.lines, doctorLine{state, what, detail})
		}
		return
	}
	head := fmt.Sprintf("%-5s %-9s ", state, what)
	if columns := d.Columns(); columns > 0 {
		detail = messages.Wrap(detail, "", strings.Repeat(" ", len(head)), max(columns, 2*len(head)))
	}
	fmt.Fprintf(d.Stdout, "%s%s\n", head, detail)
}

// sandbox reports what confines processes here.
func (d *doctor) sandbox() {
	refused := "they are refused unless " + sandbox.UnconfinedVariable + "=1"
	if err := sandbox.GuestFilterError(); err != nil {
		d.line("warn", "guests", "nothing confines generated programs: "+refused+": "+err.Error())
	} else {
		d.line("ok", "guests", "seccomp: generated programs can write their log and nothing else")
	}
	tools := sandbox.BestIsolation()
	if err := tools.Confines(); err != nil {
		d.line("warn", "tools", "nothing confines gem5 and herd7: "+refused+": "+tools.Missing)
		return
	}
	d.line("ok", "tools", tools.String())
	for _, p := range tools.Protections() {
		state := "ok"
		if !p.Holds {
			state = "warn"
		}
		d.line(state, "", p.String())
	}
}

// host runs a small program.
func (d *doctor) host(ctx context.Context) {
	programs := config.DefaultPrograms()
	programs.Ops, programs.Rounds = 20, 10
	result, version, err := d.tryHost(ctx, &programs)
	switch {
	case err != nil:
		d.line("no", "host", err.Error())
		d.status = summary.ExitInfra
	case result.Outcome != sim.Passed:
		d.line("no", "host", strings.TrimSpace(result.Outcome.Titled(result.Title)+" "+result.Detail))
		d.status = summary.ExitInfra
	default:
		d.line("ok", "host", version+": ran a program")
	}
}

func (d *doctor) tryHost(ctx context.Context, programs *config.Programs) (sim.Result, string, error) {
	runner, err := run.NewRunner("host", &config.Config{Programs: *programs})
	if err != nil {
		return sim.Result{}, "", err
	}
	p, err := programs.Program(1, 0)
	if err != nil {
		return sim.Result{}, "", err
	}
	result, err := runIn(ctx, runner, p, programs.Rounds)
	return result, runner.Version(ctx), err
}

// runIn runs a program in a directory that is removed afterwards.
func runIn(ctx context.Context, runner sim.Runner, p *gen.Program, rounds int) (sim.Result, error) {
	dir, remove, err := scratch.Make("doctor")
	if err != nil {
		return sim.Result{}, err
	}
	defer remove()
	return runner.Run(ctx, sim.Job{Program: p, Rounds: rounds, Dir: dir, Timeout: 10 * time.Second})
}

// tool says whether an optional program is installed.
func (d *doctor) tool(ctx context.Context, name, purpose, versionFlag string) {
	path, err := exec.LookPath(name)
	if err != nil {
		d.line("none", name, "not installed; optional, "+purpose)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path, versionFlag)
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if len(bytes.TrimSpace(out)) == 0 {
		out = complaints.Bytes() // where some tools say their version
	}
	first, _, _ := bytes.Cut(out, []byte("\n"))
	if err != nil {
		d.line("warn", name, fmt.Sprintf("%s does not run: %v", path, err))
		return
	}
	d.line("ok", name, string(first)+", "+purpose)
}

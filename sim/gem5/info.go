package gem5

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	script "ordeal/scripts/gem5"
	"ordeal/sim/osfile"
	"ordeal/sim/sandbox"
	"ordeal/sim/scratch"
)

// Info describes a gem5 binary.
type Info struct {
	Version string `json:"version"` // as "24.0.0.1"
	// Protocols are the names of the coherence protocols built in, ISAs
	// those of the instruction sets, as "x86".
	Protocols []string `json:"protocols"`
	ISAs      []string `json:"isas"`
	// Tracing says that the binary prints debug lines: gem5.opt, gem5.debug.
	Tracing bool `json:"tracing"`
	// Agent says that the tester of scripts/gem5/extras is in the binary.
	Agent bool `json:"agent"`
	_     struct{}
}

// String is the info in one line.
func (i *Info) String() string {
	text := fmt.Sprintf("gem5 %s, %s, %s", i.Version, strings.Join(i.ISAs, ", "), cmp.Or(strings.Join(i.Protocols, ", "), "no Ruby protocol"))
	if i.Agent {
		text += ", with the tester"
	}
	return text
}

// mismatch is why a binary cannot run programs of an instruction set, as gem5 names
// it, with some options; empty when it can.
func (i *Info) mismatch(isa string, o *Options) string {
	build := func(protocol string) string {
		return fmt.Sprintf("scons build/%s_%s/gem5.opt builds it", strings.ToUpper(isa), protocol)
	}
	switch protocol := o.Protocol; {
	case o.agents() && !i.Agent:
		return "the binary has no tester: ordeal gem5 agent DIR, and scons … EXTRAS=DIR/ordeal with your own build's words, build it in"
	case !o.agents() && !slices.Contains(i.ISAs, isa):
		return fmt.Sprintf("the binary simulates %s: want %s, as %s", list(i.ISAs), isa, build("MESI_Two_Level"))
	case len(i.Protocols) == 0:
		return "the binary was built without a Ruby protocol: want one, as " + build("MESI_Two_Level")
	case protocol == "" && len(i.Protocols) > 1:
		return fmt.Sprintf("the binary has several protocols (%s): name one (--protocol)", list(i.Protocols))
	case protocol != "" && !slices.Contains(i.Protocols, protocol):
		return fmt.Sprintf("the binary has protocol %s: want %s, as %s (--gem5)", list(i.Protocols), protocol, build(protocol))
	case o.StoreOrder && !i.Tracing:
		return "the binary prints no debug lines, from which the order of stores is taken: want gem5.opt or gem5.debug, or no store-order"
	}
	if o.agents() {
		return o.Agent.Lacks(cmp.Or(o.Protocol, i.Protocols[0]))
	}
	return ""
}

func list(names []string) string { return cmp.Or(strings.Join(names, ", "), "nothing") }

// probeTimeout bounds each run of Probe.
const probeTimeout = time.Minute

// Probe determines what a gem5 binary is: with a script that it runs itself and,
// where that fails, with --build-info, which v24.0 lacks.
func Probe(ctx context.Context, binary string) (*Info, error) {
	dir, remove, err := scratch.Make("gem5")
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", binary, err)
	}
	defer remove()
	ask := func(args ...string) (string, error) {
		_, err := sandbox.RunTool(ctx, sandbox.Command{
			Path: binary, Args: append([]string{"-d", filepath.Join(dir, "out")}, args...), Dir: dir,
			Stdout: filepath.Join(dir, StdoutFile), Stderr: filepath.Join(dir, StderrFile), Timeout: probeTimeout,
		})
		if err != nil {
			return "", err
		}
		return readOutput(dir)
	}
	se := filepath.Join(dir, ScriptFile)
	if err := os.WriteFile(se, script.Script, 0o644); err != nil {
		return nil, fmt.Errorf("probe %s: %w", binary, err)
	}
	text, err := ask(se, "--info")
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	if info := parseInfo(text); info != nil {
		return info.tidy(), nil
	}
	other, err := ask("--build-info")
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	if info := parseBuildInfo(other); info != nil {
		return info.tidy(), nil
	}
	text = cmp.Or(oneLine(text), "nothing")
	return nil, fmt.Errorf("probe %s: not a gem5 binary? it printed: %s", binary, text[:min(len(text), 500)])
}

// oneLine is a text with a space for each end of a line and what is around it: a
// binary may be of others, and no line of an output is to be theirs.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// tidy makes each text of the info one line.
func (i *Info) tidy() *Info {
	i.Version = oneLine(i.Version)
	for _, names := range [][]string{i.Protocols, i.ISAs} {
		for n := range names {
			names[n] = oneLine(names[n])
		}
	}
	return i
}

// readOutput is gem5's standard output followed by its standard error.
func readOutput(dir string) (string, error) {
	out, err := osfile.ReadFile(filepath.Join(dir, StdoutFile), maxOutput)
	if err != nil {
		return "", err
	}
	errs, err := osfile.ReadFile(filepath.Join(dir, StderrFile), maxOutput)
	return string(out) + string(errs), err
}

// parseBuildInfo reads the output of gem5 --build-info; nil when it is
// incomplete.
func parseBuildInfo(text string) *Info {
	info, options := new(Info), false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if version, ok := strings.CutPrefix(line, "gem5 version "); ok {
			info.Version = version
			continue
		}
		key, value, ok := strings.Cut(line, " = ")
		if !ok {
			continue
		}
		options = true
		on := !slices.Contains([]string{"", "0", "False", "false", "n", "None"}, value)
		switch {
		case key == "PROTOCOL" && on && value != "MULTIPLE":
			info.Protocols = []string{value}
		case key == "TARGET_ISA":
			info.ISAs = []string{strings.ToLower(value)}
		case strings.HasPrefix(key, "USE_") && strings.HasSuffix(key, "_ISA") && on:
			info.ISAs = append(info.ISAs, strings.ToLower(key[len("USE_"):len(key)-len("_ISA")]))
		}
	}
	// Options for several protocols are spelled as in Kconfig, unlike the
	// protocols themselves: the script knows their names.
	if info.Version == "" || !options || len(info.Protocols) == 0 {
		return nil
	}
	return info
}

// parseInfo reads what se.py --info printed; nil when it did not.
func parseInfo(text string) *Info {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, scriptPrefix+"info "); ok {
			info := new(Info)
			if json.Unmarshal([]byte(rest), info) == nil {
				return info
			}
		}
	}
	return nil
}

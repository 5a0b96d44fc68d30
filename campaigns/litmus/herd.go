package litmus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/parse/formats/litmus7"
	"ordeal/sim/sandbox"
	"ordeal/sim/scratch"
)

// Bounds of one call of herd7.
const (
	herdTimeout = 2 * time.Minute
	herdMemory  = 4 << 30
	herdFile    = 64 << 20
)

// herdModels has herd7's flags for the models that it comes with: what it takes
// X86_64, AArch64 and RISCV for needs none.
var herdModels = map[string][]string{"sc": {"-model", "sc.cat"}, "tso": nil, "armv8": nil, "rvwmo": nil}

// Comparison is what herd7 allows against what our enumeration allows.
type Comparison struct {
	// Skipped is why herd7 gave no answer; empty if it did.
	Skipped string `json:"skipped,omitempty"`
	// OnlyHerd and OnlyOurs are states that the other one forbids.
	OnlyHerd []string `json:"only_herd,omitempty"`
	OnlyOurs []string `json:"only_ours,omitempty"`
	_        struct{}
}

// Agrees reports whether herd7 answered the same.
func (c *Comparison) Agrees() bool {
	return c.Skipped == "" && len(c.OnlyHerd)+len(c.OnlyOurs) == 0
}

// compare asks herd7 which states a model allows. The error is ctx's or about
// herd7 not being what it should.
func compare(ctx context.Context, t *Test, o *Options, a *allowed) (*Comparison, error) {
	flags, ok := herdModels[o.modelOf(t)]
	if !ok {
		return &Comparison{Skipped: "herd7 has no model " + o.modelOf(t)}, nil
	}
	if _, err := os.Stat(t.File); errors.Is(err, os.ErrNotExist) {
		return &Comparison{Skipped: "the test is in no file"}, nil
	}
	text, err := askHerd(ctx, o.Herd, flags, t.File)
	if err != nil {
		return nil, err
	}
	results, err := litmus7.Parse("the output of "+o.Herd, []byte(text))
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || results[0].Form != litmus7.Herd7 || results[0].Test != t.Name {
		return nil, fmt.Errorf("%s: want the states of test %s alone", o.Herd, t.Name)
	}
	var theirs []string
	for i := range results[0].States {
		theirs = append(theirs, canonical(t, &results[0].States[i]))
	}
	var ours []string
	for _, s := range a.states {
		ours = append(ours, canonicalText(t, s))
	}
	return &Comparison{OnlyHerd: without(theirs, ours), OnlyOurs: without(ours, theirs)}, nil
}

func askHerd(ctx context.Context, herd string, flags []string, file string) (string, error) {
	dir, remove, err := scratch.Make("herd")
	if err != nil {
		return "", err
	}
	defer remove()
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	out, errs := filepath.Join(dir, "out"), filepath.Join(dir, "err")
	end, err := sandbox.RunTool(ctx, sandbox.Command{
		Path: herd, Args: append(slices.Clone(flags), file), Dir: dir, Stdout: out, Stderr: errs,
		Timeout: herdTimeout, Limits: sandbox.Limits{FileBytes: herdFile, ResidentBytes: herdMemory},
	})
	if err != nil {
		return "", err
	}
	message, err := os.ReadFile(errs)
	if err != nil {
		return "", err
	}
	switch {
	case end.TimedOut:
		return "", fmt.Errorf("%s: no answer after %v", herd, herdTimeout)
	case end.Exceeded == sandbox.MemoryLimit:
		return "", fmt.Errorf("%s: it took more than %d bytes of memory", herd, int64(herdMemory))
	case end.Code != 0:
		return "", fmt.Errorf("%s: status %d: %s", herd, end.Code, strings.TrimSpace(string(message[:min(len(message), 500)])))
	}
	text, err := os.ReadFile(out)
	return string(text), err
}

// canonical is a state of a test in an order and spelling of its own.
func canonical(t *Test, s *litmus7.State) string {
	var parts []string
	for _, b := range s.Values {
		parts = append(parts, t.Canonical(b.Name, b.Value))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// canonicalText is the same of a state as printed: "0:rax=0; [x]=1;".
func canonicalText(t *Test, text string) string {
	s := &litmus7.State{}
	for part := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			s.Values = append(s.Values, litmus7.Binding{Name: name, Value: value})
		}
	}
	return canonical(t, s)
}

// without are the elements of a that are not in b, sorted.
func without(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

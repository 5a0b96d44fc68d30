// Package evaluate is the commands that read traces: check, verify and convert.
package evaluate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/stream"
	"ordeal/parse"
	"ordeal/parse/formats"
)

// NewCheck makes the check command.
func NewCheck(e *command.Env) *cobra.Command {
	c := evaluate{Env: e}
	cmd := &cobra.Command{
		Use:   "check PATH…|-",
		Short: "Check a log, trace or old run directory against any model",
		Long: `Check what happened, again or elsewhere. A PATH is a run directory, a campaign
directory, a native log (beside its program.txt, or with --program) or a file in
a format of executions, such as the traces of the Axe checker (ordeal convert
--list shows all; the content tells them apart); - is standard input. With
--serializability it may also be a sequence of events, which begins with the
line "ordeal-events 1". What was not recorded, commits or all order, is not guessed: the answer
is about every execution, or "depends on the execution" with one of each kind.

One line for each trace goes to standard output: allowed, forbidden, or unknown
and why; "forbidden, proof incomplete" is the answer of an exhausted search whose
proof was not finished within --timeout or --memory. With more than one model, each answer follows its model's name. Where
there are several traces, each line begins with the trace's file and line; the
first answer about a file is printed when its second trace has been read, with
--json at once. With
--model all the line says where the trace stands among the models: the strongest
that allow it, and the weakest that forbid it. A malformed trace is unknown and the traces after it are still evaluated. The models
of a run directory are those it was evaluated by, unless --model says otherwise.

A log of final states, as litmus7 and herd7 print, is compared with the states that models
allow (default that of the instruction set, whose answer counts): a line for each test, and one for each state that a model forbids. The tests are those whose
source stands in the log, and those of --tests.

With --follow one trace is checked as it grows, in memory that does not grow: a
file until its line "check" (axe) or an interrupt, a pipe until its end. It stops
at the first violation. What the answers mean then is in ordeal help check.`,
		Example: `  ordeal check --model sc,tso trace.axe
  ordeal check --model all --kernel trace.axe
  ordeal check --model sc --explain runs/quick-20260102-150405/000017`,
		Args: command.Arguments(1, -1, "a PATH, or - for standard input"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.models, "model", "", "models to evaluate by: all that the procedure knows, or some of "+strings.Join(config.ModelNames(), ", ")+
		"; of traces with times also linearizable (default tso, or those of the run directory, or linearizable)")
	fs.StringVar(&c.options.Procedure, "procedure", "auto", "how to decide: "+strings.Join(procedureNames(), ", "))
	fs.DurationVar(&c.options.Timeout, "timeout", 0, "longest time for one trace under one model; 0 means no limit")
	fs.TextVar(&c.memory, "memory", c.memory, "most memory for one trace under one model, a `size` as 512MiB or 4GB (default what the machine has available)")
	c.input.declare(fs)
	fs.StringSliceVar(&c.serializability, "serializability", nil, "ask whether the transactions are serializable instead: sc, tso, robust (is it equivalent to SC, and are its neighbours?)")
	fs.StringVar(&c.svg, "svg", "", "with --serializability, write a picture of the first cycle to this file")
	fs.BoolVar(&c.forgetCommits, "forget-commits", false, "with --serializability, do not look at when stores were committed")
	fs.BoolVar(&c.kernel, "kernel", false, "tell how much of a trace's order of writes SC determines, and how much of that wSC and CCM find")
	fs.BoolVar(&c.explain, "explain", false, "explain why a trace is forbidden")
	fs.BoolVar(&c.follow, "follow", false, "check one trace of axe, plume or oplog under sc or tso as it grows, in memory that does not grow")
	fs.IntVar(&c.window, "window", 0, fmt.Sprintf("with --follow, operations to check at a time (default %d)", stream.DefaultWindow))
	fs.StringSliceVar(&c.tests, "tests", nil, "of a log of litmus7 or herd7, litmus tests whose source is not in it: files, folders or lists")
	fs.BoolVar(&c.json, "json", false, "print a JSON object for each trace, with evidence and timings")
	command.Complete(cmd, "model", append(config.ModelNames(), model.Linearizable.Name, "all"))
	command.Complete(cmd, "procedure", procedureNames())
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return c.run(ctx, args) })
	return cmd
}

// evaluate is the check command.
type evaluate struct {
	*command.Env
	input         Input
	models        string
	memory        config.Size
	picked        []model.Model // nil: as each trace says
	options       check.Options
	explain, json bool
	all           bool // classify by all models that the procedure claims
	kernel        bool
	// serializability lists the questions of that name; forgetCommits is
	// the flag of that name.
	serializability []string
	forgetCommits   bool
	follow          bool
	window          int      // of --follow; 0: the default
	svg             string   // file for a picture of the first cycle, "" once written
	tests           []string // of --tests
	several         bool     // more than one path was named
	answers         answerWriter
	worst           int // exit status
}

func (c *evaluate) run(ctx context.Context, paths []string) error {
	command.CollectLate(command.CheckHeap)
	if err := errors.Join(c.prepare(), errors.Join(c.followFaults(len(paths))...)); err != nil {
		return command.Usage(err)
	}
	if c.follow {
		return c.followPath(ctx, paths[0])
	}
	c.several = len(paths) > 1
	c.input.Env, c.input.Memory, c.input.results = c.Env, c.readingMemory(), c.checkResults
	c.answers.out = c.Stdout
	var faults []error
	for _, path := range paths {
		err := c.input.Each(path, func(t *Trace) error { return c.trace(ctx, t) })
		err = errors.Join(err, c.answers.flush(c.several))
		if ctx.Err() != nil {
			return command.Undecided(fmt.Errorf("interrupted: %w", cmp.Or(err, context.Cause(ctx))))
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return command.Exit(c.worst)
}

// prepare checks the flags.
func (c *evaluate) prepare() error {
	var faults []error
	if c.explain && c.json {
		faults = append(faults, fmt.Errorf("--explain contradicts --json: the JSON object holds the refutation"))
	}
	faults = append(faults, c.input.faults())
	faults = append(faults, c.serialFaults()...)
	if c.options.Timeout < 0 {
		faults = append(faults, fmt.Errorf("--timeout %v is negative", c.options.Timeout))
	}
	p, known := check.Procedure(c.options.Procedure)
	if !known {
		faults = append(faults, fmt.Errorf("unknown --procedure %q%s", c.options.Procedure, messages.Hint(c.options.Procedure, procedureNames())))
	}
	var err error
	if c.models != "" {
		if c.picked, err = config.ParseModels(c.models, model.Linearizable); err != nil {
			faults = append(faults, fmt.Errorf("--model: %w", err))
		}
	}
	c.all = slices.Contains(strings.Split(c.models, ","), "all")
	for _, m := range c.picked {
		if known && !c.all && !p.Supports(m) {
			faults = append(faults, fmt.Errorf("--procedure %s contradicts --model %s: it does not evaluate under this model", p.Name, m.Name))
		}
	}
	c.options.MemoryBytes, c.options.AvailableBytes = int64(c.memory), run.AvailableMemory()
	return errors.Join(faults...)
}

// readingMemory is how many bytes what is read of a file may take; 0 means no
// limit.
func (c *evaluate) readingMemory() int64 {
	least := c.options.AvailableBytes
	if m := int64(c.memory); m > 0 && (least == 0 || m < least) {
		least = m
	}
	return least
}

// result is the result of a trace.
type result struct {
	verdicts []check.Verdict
	class    *check.Classification  // with --model all
	kernel   string                 // with --kernel
	linear   map[string]*linearized // where values repeat, by model
}

// longHistory is the number of operations above which a history itself takes a
// part of the memory that was available before it was read.
const longHistory = 50_000

// trace checks one trace and prints the result.
func (c *evaluate) trace(ctx context.Context, t *Trace) error {
	for _, note := range t.Notes {
		fmt.Fprintf(c.Stderr, "%s: not read: %s\n", t.Place, note)
	}
	if len(c.serializability) > 0 {
		return c.askSerial(ctx, t)
	}
	if t.Sequence != nil {
		return command.Usage(fmt.Errorf("%s is a sequence of events, which have no values for a model to evaluate: ask for --serializability", t.Place))
	}
	if t.History != nil && len(t.History.Ops) > longHistory {
		c.options.AvailableBytes = run.AvailableMemory()
	}
	r, err := c.evaluate(ctx, t)
	if err != nil {
		return fmt.Errorf("check %s: %w", t.Place, err)
	}
	if c.kernel && t.History != nil && t.Err == nil {
		if r.kernel, err = c.kernelOf(ctx, t.History); err != nil {
			return fmt.Errorf("check %s: %w", t.Place, err)
		}
	}
	for _, v := range r.verdicts {
		c.worsen(v.Answer)
	}
	if c.json {
		return c.printJSON(t, r)
	}
	return c.print(t, r)
}

func (c *evaluate) evaluate(ctx context.Context, t *Trace) (*result, error) {
	if c.all && t.History != nil && t.Err == nil {
		class, err := check.Classify(ctx, t.History, c.options)
		return &result{verdicts: class.Verdicts, class: &class}, err
	}
	models := c.picked
	if models == nil {
		models = t.Models
	}
	r := new(result)
	for _, m := range models {
		v := check.Verdict{Model: m.Name}
		if (m == model.Linearizable || m == model.SC) && t.Objects != nil && t.History == nil {
			var err error
			if v, err = c.checkObjects(ctx, t, r, m); err != nil {
				return nil, err
			}
			r.verdicts = append(r.verdicts, v)
			continue
		}
		if p, _ := check.Procedure(c.options.Procedure); t.History != nil && p.Supports(m) {
			var err error
			if v, err = check.Check(ctx, t.History, m, c.options); err != nil {
				return nil, err
			}
		}
		if t.Test != nil {
			r.verdicts = append(r.verdicts, t.Test.Ask(m.Name))
			continue
		}
		if t.Err != nil && v.Answer != check.Forbidden {
			// What there is of a partial log can condemn, not acquit.
			v = check.Verdict{Model: m.Name, Reason: strings.ReplaceAll(t.Err.Error(), "\n", "; ")}
		}
		r.verdicts = append(r.verdicts, v)
	}
	return r, nil
}

// kernelOf describes the SC-kernel of a history in one line.
func (c *evaluate) kernelOf(ctx context.Context, h *parse.History) (string, error) {
	if c.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
	}
	k, err := check.Kernel(ctx, h, c.options)
	if errors.Is(err, check.ErrNotSC) || errors.Is(err, check.ErrUndecided) {
		return "kernel: " + strings.TrimPrefix(err.Error(), "kernel: "), nil
	}
	share := func(part, whole int) string {
		if whole == 0 {
			return strconv.Itoa(part)
		}
		return fmt.Sprintf("%d (%.2f %%)", part, 100*float64(part)/float64(whole))
	}
	return fmt.Sprintf("kernel: %s of %d pairs of writes; of these wSC finds %s, CCM %s",
		share(k.Kernel, k.Pairs), k.Pairs, share(k.WSC, k.Kernel), share(k.CCM, k.Kernel)), err
}

// worsen turns an answer into part of the exit status: a finding outweighs
// what is undecided.
func (c *evaluate) worsen(a check.Answer) {
	switch {
	case a == check.Forbidden:
		c.worst = summary.ExitFinding
	case a == check.Unknown && c.worst == summary.ExitOK:
		c.worst = summary.ExitUndecided
	}
}

// print writes the line of a trace, and what more was asked for below it.
func (c *evaluate) print(t *Trace, r *result) error {
	var b bytes.Buffer
	verdicts := r.verdicts
	if t.Err != nil && !slices.ContainsFunc(verdicts, func(v check.Verdict) bool { return v.Answer != check.Unknown }) {
		verdicts = verdicts[:1] // the same of every model
	}
	if r.class != nil {
		b.WriteString(placeText(r.class))
	} else {
		b.WriteString(answersText(verdicts))
	}
	b.WriteString(unusedText(t.History, verdicts) + "\n")
	if r.kernel != "" {
		b.WriteString(r.kernel + "\n")
	}
	for i := range verdicts {
		v := &verdicts[i]
		if weakest := r.class == nil || slices.Contains(r.class.Weakest, v.Model); c.explain && weakest && v.Answer == check.Forbidden {
			fmt.Fprintf(&b, "\nwhy %s forbids it%s:\n\n", v.Model, proofText(v))
			if l := r.linear[v.Model]; l != nil {
				l.explain(&b)
				continue
			}
			m, _ := model.ByName(v.Model)
			if err := check.Explain(&b, t.History, m, v); err != nil {
				return fmt.Errorf("explain %s: %w", t.Place, err)
			}
			b.WriteByte('\n')
		}
	}
	return c.answers.write(t, c.several, b.String())
}

// answersText is one answer, or several with the names of their models.
func answersText(verdicts []check.Verdict) string {
	texts := make([]string, len(verdicts))
	for i, v := range verdicts {
		texts[i] = answerText(&v)
		if len(verdicts) > 1 {
			texts[i] = v.Model + " " + texts[i]
		}
	}
	return strings.Join(texts, ", ")
}

// unusedText names what of a history the answers of some models do not take
// into account, if there is anything: "; not used: final memory by cc, cm; fences except by
// sc".
func unusedText(h *parse.History, verdicts []check.Verdict) string {
	var parts []string
	by := map[string][]string{}
	for i := range verdicts {
		for _, part := range unused(h, &verdicts[i]) {
			if by[part] == nil {
				parts = append(parts, part)
			}
			by[part] = append(by[part], verdicts[i].Model)
		}
	}
	for i, part := range parts {
		var others []string
		for _, v := range verdicts {
			if !slices.Contains(by[part], v.Model) {
				others = append(others, v.Model)
			}
		}
		switch {
		case len(others) == 0:
		case len(others) < len(by[part]):
			parts[i] += " except by " + strings.Join(others, ", ")
		default:
			parts[i] += " by " + strings.Join(by[part], ", ")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; not used: " + strings.Join(parts, "; ")
}

// unused is what of a history the answer of a verdict does not take into
// account.
func unused(h *parse.History, v *check.Verdict) []string {
	m, known := model.ByName(v.Model)
	if h == nil || !known || v.Answer == check.Unknown {
		return nil
	}
	return check.Unused(h, m)
}

// answerText is the answer of a verdict with what it lacks or owes to others.
func answerText(v *check.Verdict) string {
	text := v.Answer.String()
	switch {
	case v.Reason != "":
		text += " " + v.Reason
	case v.Unproved != "":
		text += ", proof incomplete (" + v.Unproved + ")"
	case v.Prover != "":
		text += ", proof by " + v.Prover
	}
	return text
}

// proofText says whose proof is explained and what it cost, if another
// procedure's.
func proofText(v *check.Verdict) string {
	if v.Prover == "" || v.Refutation == nil {
		return ""
	}
	return fmt.Sprintf(" (%s searched for %v; proof by %s in %v)", v.Procedure, v.Stats.Search.Round(time.Microsecond), v.Prover, v.Stats.Proof.Round(time.Microsecond))
}

// placeText says where a history stands among the models.
func placeText(class *check.Classification) string {
	names := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.Join(list, ", ")
	}
	text := "strongest allowing: " + names(class.Strongest) + "; weakest forbidding: " + names(class.Weakest)
	if len(class.Open) > 0 {
		text += "; unknown: " + names(class.Open)
	}
	return text
}

// ExecutionForms are the formats of executions that can be evaluated.
func ExecutionForms() []string {
	return formats.NamesOf(formats.Matching(func(f formats.Format) bool {
		return f.HoldsHistories() || f.Name == "litmus" || f.Holds == formats.Sequence
	}))
}

func procedureNames() []string {
	var names []string
	for _, p := range check.Procedures() {
		names = append(names, p.Name)
	}
	return names
}

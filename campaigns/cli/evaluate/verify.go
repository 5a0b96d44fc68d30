package evaluate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness/certificate"
	"ordeal/parse/formats"
)

// maxCertificate bounds the bytes of a certificate, which is a line of its file:
// several times those of 10 million operations under all models.
const maxCertificate = 1 << 30

// NewVerify makes the verify command.
func NewVerify(e *command.Env) *cobra.Command {
	c := verifier{Env: e}
	cmd := &cobra.Command{
		Use:   "verify FILE|- [HISTORY]",
		Short: "Check saved evidence against its history",
		Long: `Check the evidence that ordeal check --json printed, by the checkers of package
witness alone: nothing is searched for, and nothing that the file says is taken
for granted. FILE may also be a run directory or a campaign directory, whose runs
hold the evidence of their verdicts.

Each line of FILE names its history as ordeal check was given it; HISTORY is read
instead where it has moved or was standard input. "ordeal help witness" describes
the format, with a checker in Python that shares nothing with this one.

FILE may be compressed by gzip, and has at most 1 GiB a line. With --timeout what
is not checked in time is open, and so is what would need more memory than --memory.

One line for each trace goes to standard output: proved, refused and why, or open
where there is no answer or no proof, for each model.`,
		Example: `  ordeal check --model all --json trace.axe > trace.json
  ordeal verify trace.json
  ordeal verify runs/quick-20260102-150405/000017`,
		Args: command.Arguments(1, 2, "a FILE, or - for standard input, and perhaps a HISTORY"),
	}
	fs := cmd.Flags()
	c.input.declare(fs)
	fs.BoolVar(&c.json, "json", false, "print a JSON object for each trace")
	fs.DurationVar(&c.timeout, "timeout", 0, "longest time for all; 0 means no limit")
	fs.TextVar(&c.memory, "memory", c.memory, "most memory for one certificate, a `size` as 512MiB or 4GB (default what the machine has available)")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return c.within(ctx, args) })
	return cmd
}

// verifier is the verify command.
type verifier struct {
	*command.Env
	input   Input
	json    bool
	timeout time.Duration
	memory  config.Size
	limits  search.Limits
	history string // that the command line names
	worst   int    // exit status
	source  histories
}

// within is run, given up after the timeout: the checkers take no context, and
// the process ends.
func (c *verifier) within(ctx context.Context, args []string) error {
	if c.timeout < 0 {
		return command.Usage(fmt.Errorf("--timeout %v is negative", c.timeout))
	}
	if c.timeout == 0 {
		return c.run(args)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	late := command.Undecided(fmt.Errorf("verify %s: not finished after --timeout %v", args[0], c.timeout))
	if ctx.Err() != nil {
		return late
	}
	done := make(chan error, 1)
	go func() { done <- c.run(args) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return late
	}
}

func (c *verifier) run(args []string) error {
	c.input.Env = c.Env
	if err := c.input.faults(); err != nil {
		return command.Usage(err)
	}
	if len(args) > 1 {
		c.history = args[1]
	}
	c.limits = search.Limits{MemoryBytes: int64(c.memory), AvailableBytes: run.AvailableMemory()}
	c.input.Memory = c.limits.AvailableBytes
	defer c.source.close()
	if err := c.file(args[0]); err != nil {
		return err
	}
	return command.Exit(c.worst)
}

func (c *verifier) file(path string) error {
	if path == "-" {
		return c.lines("standard input", c.Input(c.Stdin))
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if c.history != "" {
			return command.Usage(fmt.Errorf("%s is a directory, which has its own histories: name no other", path))
		}
		return c.input.dir(path, c.runDir)
	}
	f, _, err := c.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.lines(path, f)
}

// runDir checks the evidence of a run directory.
func (c *verifier) runDir(t *Trace) error {
	data, err := run.ReadFile(run.Dir(t.Place).Path(run.CertificateFile))
	if err != nil {
		return err
	}
	return c.certificate(t.Place, data, func(string) (*Trace, error) { return t, nil })
}

// lines checks the certificates of a file, one a line.
func (c *verifier) lines(name string, r io.Reader) error {
	s := bufio.NewScanner(formats.Decode(r))
	longest := c.longest()
	s.Buffer(nil, longest)
	for n := 1; s.Scan(); n++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := c.certificate(fmt.Sprintf("%s:%d", name, n), s.Bytes(), c.find); err != nil {
			return err
		}
		c.source.lines++
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) && longest < maxCertificate {
		return command.Undecided(fmt.Errorf("%s: a line of more than %d bytes, which needs more than the memory allowed", name, longest))
	} else if errors.Is(err, bufio.ErrTooLong) {
		return command.Usage(fmt.Errorf("%s: a line of more than %d bytes", name, maxCertificate))
	} else if command.IsMalformed(err) {
		return command.Usage(fmt.Errorf("read %s: %w", name, err))
	} else if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if c.source.lines == 0 {
		return command.Usage(fmt.Errorf("%s holds no certificate", name))
	}
	return nil
}

// longest is the most bytes of a line that the limit on memory leaves room for:
// to read one takes up to three times as much.
func (c *verifier) longest() int {
	n := int64(maxCertificate)
	for n > 1<<20 && c.limits.Check(3*n) != nil {
		n /= 2
	}
	return int(n)
}

// find opens the history of a certificate.
func (c *verifier) find(place string) (*Trace, error) {
	path, line := place, ""
	if i := strings.LastIndexByte(place, ':'); i >= 0 && strings.Trim(place[i+1:], "0123456789") == "" {
		path, line = place[:i], place[i:]
	}
	if c.history != "" {
		return c.source.find(&c.input, c.history, line)
	}
	// What a file names is read only if it is plainly a file and no link.
	info, err := run.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("its history: %w; name the file as HISTORY", err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("its history: %s is no regular file; name it as HISTORY", path)
	}
	return c.source.find(&c.input, path, line)
}

// certificate checks one certificate and prints the result.
func (c *verifier) certificate(place string, data []byte, find func(string) (*Trace, error)) error {
	out := jsonVerified{Certificate: place}
	t := new(certificate.Document)
	var results []certificate.Result
	need := certificate.EstimateBytes(data)
	var err error
	if tooMuch := c.limits.Check(need); tooMuch != nil {
		out.Open = tooMuch.Error()
	} else if err = json.Unmarshal(data, t); err == nil {
		out.Trace = t.Trace.Trace
		var h *Trace
		h, err = find(t.Trace.Trace)
		switch {
		case err != nil:
			return fmt.Errorf("verify %s: %w", place, err)
		case h.Objects != nil && t.History == "":
			evidence := TraceResult{Trace: new(certificate.Trace)}
			err = json.Unmarshal(data, &evidence)
			for _, v := range t.Verdicts {
				found := evidence.Linearization
				if v.Model == model.SC.Name {
					found = evidence.Sequential
				}
				results = append(results, found.verify(v, h.Objects))
			}
		case h.History == nil && t.History == "":
			results = make([]certificate.Result, len(t.Verdicts))
			for i, v := range t.Verdicts {
				results[i] = certificate.Result{Model: v.Model, Answer: v.Answer, Open: "no history"}
			}
			for _, a := range t.Serializability {
				results = append(results, certificate.Result{Model: a.Question(), Answer: a.Answer, Open: "no history"})
			}
		case h.History == nil:
			err = fmt.Errorf("the history cannot be read: %w", h.Err)
		case c.limits.Check(need+t.CheckBytes(h.History)) != nil:
			out.Open = c.limits.Check(need + t.CheckBytes(h.History)).Error()
		default:
			if err = h.History.Validate(); err == nil {
				results, err = t.Verify(h.History)
			}
		}
	}
	if err != nil {
		out.Refused = err.Error()
		c.worst = summary.ExitFinding
	}
	if out.Open != "" && c.worst == summary.ExitOK {
		c.worst = summary.ExitUndecided
	}
	for _, r := range results {
		v := jsonProved{Model: r.Model, Answer: r.Answer, Proved: r.Proved, Open: r.Open}
		switch {
		case r.Err != nil:
			v.Refused = r.Err.Error()
			c.worst = summary.ExitFinding
		case !r.Proved && c.worst == summary.ExitOK:
			c.worst = summary.ExitUndecided
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	if c.json {
		return c.PrintJSONLine(out)
	}
	_, err = fmt.Fprintf(c.Stdout, "%s: %s\n", place, strings.ReplaceAll(out.text(), "\n", "; "))
	return err
}

// jsonVerified is what --json prints for a trace. Certificate is where the
// certificate is; Refused says why it counts for nothing as a whole, Open why it is
// not checked.
type jsonVerified struct {
	Certificate string       `json:"certificate"`
	Trace       string       `json:"trace"`
	Refused     string       `json:"refused,omitempty"`
	Open        string       `json:"open,omitempty"`
	Verdicts    []jsonProved `json:"verdicts,omitempty"`
}

type jsonProved struct {
	Model   string `json:"model"`
	Answer  string `json:"answer"`
	Proved  bool   `json:"proved"`
	Open    string `json:"open,omitempty"`
	Refused string `json:"refused,omitempty"`
}

func (v *jsonVerified) text() string {
	if v.Refused != "" {
		return "refused: " + v.Refused
	}
	if v.Open != "" {
		return "open: " + v.Open
	}
	texts := make([]string, len(v.Verdicts))
	for i, p := range v.Verdicts {
		state := "proved"
		switch {
		case p.Refused != "":
			state = "refused: " + p.Refused
		case p.Open != "":
			state = "open: " + p.Open
		}
		texts[i] = fmt.Sprintf("%s %s %s", p.Model, p.Answer, state)
	}
	return strings.Join(texts, ", ")
}

// histories reads the traces of one file after the other, in step with the
// certificates, which stand in the same order.
type histories struct {
	path  string
	lines int // certificates met
	next  func() (*Trace, error, bool)
	stop  func()
}

// find is the trace of a file at a line, ":" and the number, or the next one
// where there is none.
func (s *histories) find(in *Input, path, line string) (*Trace, error) {
	for again := s.path != path; ; again = true {
		if again {
			s.close()
			s.path = path
			s.next, s.stop = iter.Pull2(tracesOf(in, path))
		}
		for {
			t, err, ok := s.next()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if line == "" || strings.HasSuffix(t.Place, line) || !strings.Contains(t.Place[len(path):], ":") {
				return t, nil
			}
		}
		if again {
			s.path = ""
			return nil, fmt.Errorf("%s has no trace at line %s", path, strings.TrimPrefix(line, ":"))
		}
	}
}

func (s *histories) close() {
	if s.stop != nil {
		s.stop()
	}
}

// tracesOf yields the traces of a path, or why it cannot be read.
func tracesOf(in *Input, path string) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		enough := errors.New("enough")
		err := in.Each(path, func(t *Trace) error {
			if !yield(t, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(nil, err)
		}
	}
}

package evaluate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/cli/command"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/stream"
	"ordeal/check/witness"
	"ordeal/parse/formats"
)

// growthPoll is how often a file that is followed is looked at for new lines.
const growthPoll = 100 * time.Millisecond

// followFaults lists the flags that contradict --follow.
func (c *evaluate) followFaults(paths int) []error {
	if !c.follow {
		if c.window != 0 {
			return []error{errors.New("--window needs --follow")}
		}
		return nil
	}
	var faults []error
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{c.kernel, "--kernel"}, {len(c.serializability) > 0, "--serializability"},
		{c.input.Program != "", "--program: a native log is written at the end of its run"},
	} {
		if flag.set {
			faults = append(faults, fmt.Errorf("--follow contradicts %s", flag.name))
		}
	}
	if paths != 1 {
		faults = append(faults, fmt.Errorf("--follow: %d PATHs, want one", paths))
	}
	if c.picked == nil {
		c.picked = DefaultModels
	}
	if len(c.picked) != 1 || c.picked[0] != model.SC && c.picked[0] != model.TSO {
		faults = append(faults, errors.New("--follow: want --model sc or tso"))
	}
	return faults
}

// followPath checks a file as it grows, or what comes through a pipe.
func (c *evaluate) followPath(ctx context.Context, path string) error {
	name, in, grows := "standard input", c.Stdin, false
	if path != "-" {
		f, info, err := c.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		name, in, grows = path, f, info.Mode().IsRegular()
	}
	operations, err := c.operations(name, tail(ctx, in, grows))
	if err != nil {
		return err
	}
	checker, err := stream.New(c.picked[0], stream.Options{Window: c.window, Check: c.options})
	if err != nil {
		return command.Usage(err)
	}
	fault := feed(ctx, checker, operations)
	r, err := checker.Finish(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	if r.Answer == check.Allowed && (fault != nil || ctx.Err() != nil) {
		r.Answer, r.Reason = check.Unknown, "interrupted: what came before is allowed"
	}
	if fault != nil && r.Answer == check.Unknown {
		r.Reason = fault.Error()
	}
	fmt.Fprintf(c.Stderr, "%s: %d operations, %d checks, at most %d operations kept\n", name, r.Operations, r.Checks, r.Peak)
	c.worsen(r.Answer)
	if c.json {
		err = c.PrintJSONLine(c.followedResult(name, &r))
	} else {
		err = c.printFollowed(operations, &r)
	}
	return errors.Join(err, command.Exit(c.worst))
}

// feed gives the operations to the checker. The error is about the text.
func feed(ctx context.Context, checker *stream.Checker, operations *formats.Operations) error {
	for {
		thread, op, line, err := operations.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		final, err := checker.Add(context.WithoutCancel(ctx), thread, op, int64(line))
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if final {
			return nil
		}
	}
}

// operations reads a file in a format that can be followed.
func (c *evaluate) operations(name string, in io.Reader) (*formats.Operations, error) {
	in = formats.Decode(in)
	f, ok := formats.ByName(c.input.Format)
	if !ok {
		buffered := bufio.NewReaderSize(in, formats.HeadBytes)
		head, err := buffered.Peek(1)
		for err == nil && len(head) < formats.HeadBytes && bytes.IndexByte(head, '\n') < 0 { // a line tells
			if _, err = buffered.Peek(len(head) + 1); err == nil {
				head, err = buffered.Peek(buffered.Buffered())
			}
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if f, err = formats.Detect(head, false); err != nil {
			return nil, command.Usage(fmt.Errorf("%s: %w", name, err))
		}
		in = buffered
	}
	if !slices.Contains(formats.Streams(), f.Name) {
		return nil, command.Usage(fmt.Errorf("%s is in format %s: --follow reads %s", name, f.Name, strings.Join(formats.Streams(), ", ")))
	}
	return formats.NewOperations(f, in, name)
}

// FollowedResult is what --follow prints with --json. Violation is the lines of the
// operations that the model forbids, nil if there are none.
type FollowedResult struct {
	Trace      string  `json:"trace"`
	Model      string  `json:"model"`
	Answer     string  `json:"answer"`
	Reason     string  `json:"reason,omitempty"`
	Operations int64   `json:"operations"`
	Checks     int     `json:"checks"`
	Kept       int     `json:"kept"`
	Violation  []int64 `json:"violation,omitempty"`
}

func (c *evaluate) followedResult(name string, r *stream.Result) FollowedResult {
	out := FollowedResult{
		Trace: name, Model: c.picked[0].Name, Answer: r.Answer.String(), Reason: r.Reason,
		Operations: r.Operations, Checks: r.Checks, Kept: r.Peak,
	}
	if v := r.Violation; v != nil {
		_, _, kept := witness.Restrict(v.History, v.Verdict.Refutation)
		for _, id := range kept {
			out.Violation = append(out.Violation, v.Lines[id])
		}
	}
	return out
}

// printFollowed prints the answer, and why a violation is one.
func (c *evaluate) printFollowed(operations *formats.Operations, r *stream.Result) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.TrimSpace(r.Answer.String()+" "+r.Reason))
	if v := r.Violation; v != nil {
		v.History.ThreadNames = operations.Threads()[:v.History.Threads()]
		v.History.Locations = operations.Locations()[:len(v.History.Locations)]
		_, _, kept := witness.Restrict(v.History, v.Verdict.Refutation)
		if c.explain {
			fmt.Fprintf(&b, "\nwhy %s forbids it:\n\n", v.Verdict.Model)
			if err := check.Explain(&b, v.History, c.picked[0], &v.Verdict); err != nil {
				return fmt.Errorf("internal error: %w", err)
			}
			b.WriteByte('\n')
		}
		for i, id := range kept {
			fmt.Fprintf(&b, "%s: line %d\n", witness.Letters(i), v.Lines[id])
		}
	}
	_, err := c.Stdout.Write(b.Bytes())
	return err
}

// tail reads a file as it grows, or what comes through a pipe, until ctx is done.
func tail(ctx context.Context, in io.Reader, grows bool) io.Reader {
	reader, writer := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = writer.Close() }) // it never fails
	go func() {
		defer stop()
		buffer := make([]byte, 1<<18)
		for ctx.Err() == nil {
			n, err := in.Read(buffer)
			if n > 0 {
				if _, err := writer.Write(buffer[:n]); err != nil {
					return
				}
			}
			switch {
			case err == io.EOF && grows:
				time.Sleep(growthPoll)
			case err != nil:
				writer.CloseWithError(err)
				return
			}
		}
	}()
	return reader
}

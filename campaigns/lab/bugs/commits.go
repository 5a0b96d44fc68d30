package bugs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"ordeal/sim/protocols"
)

// Commit is a commit of a clone that changed protocols, with what its own message says.
type Commit struct {
	ID string `json:"commit"`
	// Parents are the nearest commits before it that changed protocols, too, or where the
	// history that was asked for begins.
	Parents []string `json:"parents"`
	Date    string   `json:"date"`
	Subject string   `json:"subject"`
	// Fixes says that the message speaks of a fix. References are the numbers of issues and
	// pull requests in it.
	Fixes      bool     `json:"fixes,omitempty"`
	References []string `json:"references,omitempty"`
	// Cut says that the clone, a shallow one, has no commits before it.
	Cut bool `json:"cut,omitempty"`
	_   struct{}
}

// Commits lists the commits after a date or a commit, older ones first, that changed protocols; A..B ends at a
// commit, else they go up to HEAD. Of merges those that differ from all of their parents are listed.
// It is rev-list that is asked, which starts no program, whatever the settings of the clone.
func (c *Clone) Commits(ctx context.Context, since string) ([]*Commit, error) {
	from, to, ranged := strings.Cut(since, "..")
	if !ranged {
		to = "HEAD"
	}
	last, err := c.Commit(ctx, to)
	if err != nil {
		return nil, err
	}
	if day, err := time.Parse(time.DateOnly, from); err == nil {
		from = "--since=" + day.Format(time.RFC3339)
	} else if from, err = c.Commit(ctx, from); err == nil {
		from = "^" + from
	} else {
		return nil, errors.Join(err, fmt.Errorf("%q: want a day, as 2024-01-31, a commit, or two of them, as A..B", since))
	}
	args := []string{"--topo-order", "--reverse", "--parents", last, from, "--"}
	list, err := c.revisions(ctx, append(args, protocols.Folders...)...)
	if err == nil && len(list) == 0 { // no tree of gem5
		list, err = c.revisions(ctx, append(args, "*.slicc", "*.sm")...)
	}
	return list, err
}

// shallow reports whether the clone has only a part of its history.
func (c *Clone) shallow(ctx context.Context) (bool, error) {
	out, err := c.git(ctx, nil, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(string(out)) == "true", err
}

// revisions lists the commits that rev-list does, with its arguments.
func (c *Clone) revisions(ctx context.Context, args ...string) ([]*Commit, error) {
	shallow, err := c.shallow(ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.git(ctx, nil, append([]string{"rev-list", "--format=%x00%H%x1f%P%x1f%cs%x1f%s%x1f%b%x1f"}, args...)...)
	if err != nil {
		return nil, err
	}
	fixes, reference := regexp.MustCompile(`(?i)\b(bug)?fix(e[sd])?\b`), regexp.MustCompile(`#\d+\b`)
	var list []*Commit
	for _, entry := range strings.Split(string(out), "\x00")[1:] {
		f := strings.SplitN(entry, "\x1f", 6)
		if len(f) < 6 {
			return nil, fmt.Errorf("git rev-list: unexpected output %q", entry[:min(len(entry), 100)])
		}
		x := &Commit{ID: f[0], Parents: strings.Fields(f[1]), Date: f[2], Subject: f[3]}
		x.Fixes, x.References = fixes.MatchString(f[3]+"\n"+f[4]), reference.FindAllString(f[3]+"\n"+f[4], 8)
		x.Cut = len(x.Parents) == 0 && shallow
		list = append(list, x)
	}
	return list, nil
}

// Says is what the message of a commit says of itself.
func (c *Commit) Says() string {
	said := strings.Join(c.References, ", ")
	if c.Fixes {
		return strings.TrimSuffix("a fix, "+said, ", ")
	}
	return said
}

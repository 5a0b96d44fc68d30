package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim/gem5"
)

// Trust decides whether the commands that a record names are executed.
// The directory of a run or campaign may come from others: its run.json or
// campaign.yaml names the gem5 binary, the tree that its Python configuration is
// taken from, and the command that rebuilds it. They are executed if the user
// names them on the command line, or if the trust file says that this user has
// had the same commands executed for the same directory, or has trusted it.
//
// The trust file is in the user's configuration directory, so nothing that is
// received can be in it. An entry names the directory and the commands, word by
// word: another record that is unpacked at the same place is not trusted, nor is
// a copy of a directory.

// Command is a command that runs of a configuration execute.
type Command struct {
	// What is "gem5", "rebuild" or "sbatch".
	What string `json:"what"`
	// Argv is its words, for gem5 up to the words that each run adds: program,
	// seed and memory; for sbatch the further arguments alone.
	Argv []string `json:"argv"`
	// Dir is the directory that it runs in; empty for that of the run.
	Dir string `json:"dir,omitempty"`
}

// String is the command as a shell takes it.
func (c Command) String() string {
	words := make([]string, len(c.Argv))
	for i, word := range c.Argv {
		words[i] = messages.Quoted(word)
	}
	text := strings.Join(words, " ")
	if c.Dir != "" {
		text = "cd " + messages.QuotedPath(c.Dir) + " && " + text
	}
	return text
}

func same(a, b Command) bool {
	return a.What == b.What && a.Dir == b.Dir && slices.Equal(a.Argv, b.Argv)
}

// Commands are those of the runs of a configuration, on a simulator. Others than
// gem5 execute nothing but what this program has made.
func Commands(simulator string, c *config.Config) []Command {
	if simulator != config.SimGem5 {
		return nil
	}
	o, _ := c.Gem5Options() // what is unusable is not executed
	o.Binary, o.Tree = absolute(o.Binary), absolute(o.Tree)
	list := []Command{{What: "gem5", Argv: gem5.Command(o)}}
	if c.Mutant != "" {
		list = append(list, Command{What: "rebuild", Argv: c.Rebuild, Dir: o.Tree})
	}
	return list
}

// Sbatch is the command that submits jobs with further arguments, if there are
// any: options of sbatch can have other programs executed, as --export does with
// LD_PRELOAD, and --bb.
func Sbatch(args []string) []Command {
	if len(args) == 0 {
		return nil
	}
	return []Command{{What: "sbatch", Argv: append([]string{"sbatch"}, args...)}}
}

// CommandsOf are those of all runs of a campaign, each once.
func CommandsOf(c *config.Campaign) []Command {
	var list []Command
	for i := range c.Configs {
		list = union(list, Commands(c.SimOf(&c.Configs[i]), &c.Configs[i]))
	}
	return list
}

// union adds to a list what it has not.
func union(list, more []Command) []Command {
	for _, c := range more {
		if !slices.ContainsFunc(list, func(has Command) bool { return same(c, has) }) {
			list = append(list, c)
		}
	}
	return list
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Refusal is the error for commands of a record that are not executed.
type Refusal struct {
	Dir      string
	Commands []Command
	_        struct{}
}

func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s names commands that were not given here:\n", r.Dir)
	for _, c := range r.Commands {
		fmt.Fprintf(&b, "  %-8s %s\n", c.What, c)
	}
	names := "--gem5, --gem5-tree, --rebuild"
	if slices.ContainsFunc(r.Commands, func(c Command) bool { return c.What == "sbatch" }) {
		names = "--sbatch-arg"
	}
	fmt.Fprintf(&b, "Nothing that a record names is executed unless you name it (%s) or trust the directory (--trust)", names)
	return b.String()
}

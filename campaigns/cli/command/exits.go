package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/summary"
)

// everywhere is what the exit statuses mean for every command, by status, unless
// meanings says more.
var everywhere = [...]string{
	summary.ExitOK:        "nothing found",
	summary.ExitFinding:   "a finding",
	summary.ExitUsage:     "the command line, or what it names, is not as it should be",
	summary.ExitUndecided: "undecided, or interrupted with nothing found",
	summary.ExitInfra:     "something could not be read, written or executed",
}

// meanings says what the statuses mean for a command, by its path below ordeal.
// Statuses that it leaves out mean what they mean everywhere. It is made where it is
// needed: most commands print no help.
var meanings = sync.OnceValue(func() map[string]map[int]string {
	campaignMeanings := map[int]string{
		summary.ExitOK: "nothing found but known issues", summary.ExitFinding: "a finding, or a canary is not caught any more",
		summary.ExitUndecided: "undecided, interrupted, or ended with undecided canaries, and nothing was found",
		summary.ExitInfra:     "some run could not be made, or something not read or written",
	}
	return map[string]map[int]string{
		"check": {
			summary.ExitOK: "every model allows every trace", summary.ExitFinding: "a model forbids a trace",
			summary.ExitUndecided: "an answer is unknown, or there is nothing to check",
		},
		"verify": {
			summary.ExitOK: "all evidence is accepted", summary.ExitFinding: "evidence is refused", summary.ExitUndecided: "a certificate is not checked, or proves nothing",
		},
		"convert": {summary.ExitOK: "converted", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"gen":     {summary.ExitOK: "generated", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"run":     {summary.ExitOK: "the run passed", summary.ExitFinding: "the run failed", summary.ExitUndecided: "an answer is unknown, or the run was interrupted"},
		"explore": {summary.ExitOK: "every property holds", summary.ExitFinding: "a property does not hold", summary.ExitUndecided: "the search did not come to its end and found nothing"},
		"repro": {
			summary.ExitOK: "a recorded pass recurred, or a finding did not", summary.ExitFinding: "a recorded finding recurred, or a try failed otherwise",
		},
		"explain": {summary.ExitOK: "explained", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"reduce": {
			summary.ExitOK: "reduced", summary.ExitFinding: "", summary.ExitUsage: "usage, or there is nothing to reduce",
			summary.ExitUndecided: "whether the model forbids the history is not decided",
		},
		"litmus": {
			summary.ExitFinding:   "a forbidden outcome was seen, or a run failed",
			summary.ExitUndecided: "a test cannot be read or enumerated (the others run all the same), or herd7 disagrees",
		},
		"doctor": {summary.ExitOK: "programs can be run", summary.ExitFinding: "", summary.ExitUndecided: "", summary.ExitInfra: "not even programs can be run on the processor"},
		"serve":  {summary.ExitOK: "interrupted", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"slicc check": {
			summary.ExitOK: "the embedded simulator runs the protocol", summary.ExitFinding: "it needs what the simulator does not have",
			summary.ExitUsage: "it has faults", summary.ExitUndecided: "",
		},
		"bench bugs":      {summary.ExitOK: "measured", summary.ExitFinding: ""},
		"bench papers":    {summary.ExitOK: "measured", summary.ExitFinding: ""},
		"mutate list":     {summary.ExitOK: "listed", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"mutate show":     {summary.ExitOK: "shown", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"mutate apply":    {summary.ExitOK: "applied", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"mutate run":      {summary.ExitOK: "every mutant that is not known to be equivalent was killed", summary.ExitFinding: "one survived", summary.ExitInfra: "the protocol itself fails, or something could not be read or written"},
		"mutate repair":   {summary.ExitOK: "some repair", summary.ExitFinding: "", summary.ExitUndecided: "none"},
		"mutate bugs":     {summary.ExitOK: "all are caught", summary.ExitFinding: "a bug was caught by fewer than nine of ten seeds, or a negative control was caught"},
		"campaign run":    campaignMeanings,
		"campaign resume": campaignMeanings,
		"campaign merge": {
			summary.ExitFinding: "a finding, or a canary is not caught any more", summary.ExitUndecided: "undecided, or runs are missing, and nothing was found",
			summary.ExitInfra: "some run could not be made, or something not read or written",
		},
		"campaign report":    {summary.ExitOK: "written", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"campaign diff":      {summary.ExitFinding: "a finding is new and no known issue, or a canary newly missed", summary.ExitUndecided: ""},
		"campaign trend":     {summary.ExitOK: "printed", summary.ExitFinding: "", summary.ExitUndecided: "", summary.ExitInfra: "a campaign could not be read; the others are shown"},
		"campaign query":     {summary.ExitOK: "answered", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"campaign schema":    {summary.ExitOK: "printed", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"campaign reindex":   {summary.ExitOK: "indexed", summary.ExitFinding: "", summary.ExitUndecided: "", summary.ExitInfra: "a campaign could not be read; the others are indexed"},
		"campaign status":    {summary.ExitOK: "complete, and nothing found", summary.ExitUndecided: "not complete, and nothing found so far"},
		"campaign submit":    {summary.ExitOK: "submitted", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"campaign cancel":    {summary.ExitOK: "cancelled", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"campaign job shard": {summary.ExitOK: "the shard is complete, whatever it found", summary.ExitFinding: "", summary.ExitUndecided: "interrupted"},
		"campaign job merge": {summary.ExitOK: "merged, whatever was found", summary.ExitFinding: "", summary.ExitUndecided: "interrupted"},
		"models":             {summary.ExitOK: "printed", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"schema":             {summary.ExitOK: "printed", summary.ExitFinding: "", summary.ExitUndecided: ""},
		"version":            {summary.ExitOK: "printed", summary.ExitFinding: "", summary.ExitUndecided: ""},
	}
})

// Meaning is what an exit status of a command means, by the command's path below
// ordeal; empty if it never ends so.
func Meaning(path string, status int) string {
	if text, ok := meanings()[path][status]; ok {
		return text
	}
	return everywhere[status]
}

// Documented lists the paths of the commands that have meanings of their own.
func Documented() []string { return slices.Sorted(maps.Keys(meanings())) }

// ExitText lists the exit statuses of a command in lines of a width.
func ExitText(path string, width int) string {
	var b strings.Builder
	b.WriteString("Exit status:\n")
	for status := range everywhere {
		if text := Meaning(path, status); text != "" {
			b.WriteString(messages.Wrap(text, fmt.Sprintf("  %d  ", status), "     ", width) + "\n")
		}
	}
	return b.String()
}

// ExitTable is the table of all commands in Markdown.
func ExitTable() string {
	var b strings.Builder
	b.WriteString("| command |")
	for status := range everywhere {
		fmt.Fprintf(&b, " %d |", status)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(everywhere)) + "\n")
	row := func(name, path string) {
		fmt.Fprintf(&b, "| %s |", name)
		for status, meaning := range everywhere {
			text := Meaning(path, status)
			if path != "" && text == meaning {
				text = "" // as everywhere
			} else {
				text = cmp.Or(text, "–")
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteByte('\n')
	}
	row("every command, unless it says more", "")
	for _, path := range Documented() {
		if !strings.HasPrefix(path, "campaign job") {
			row("`"+path+"`", path)
		}
	}
	return b.String()
}

// DocumentExits adds the exit statuses to the descriptions of a command and of
// those below it, as its help has them.
func DocumentExits(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		DocumentExits(sub)
	}
	if text := exitsOf(cmd, helpWidth); text != "" {
		cmd.Long = cmp.Or(cmd.Long, cmd.Short+".") + "\n\n" + strings.TrimRight(text, "\n")
	}
}

// exitsOf is ExitText of a command that has none below it, else empty.
func exitsOf(cmd *cobra.Command, width int) string {
	if !cmd.HasParent() || cmd.HasSubCommands() {
		return ""
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return ExitText(path, width)
}

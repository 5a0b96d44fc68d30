package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/internal/messages"
)

// setFlag is the flag for expert options: --set machine.jitter=8.
const setFlag = "set"

// expertOptions lists the options that few users of run and litmus need, and that these
// commands therefore have as keys of --set. In campaign files they are keys as all others.
var expertOptions = []string{
	// Programs: gen has them as flags.
	"annotations", "delays", "dependencies", "dma-parts", "fence-transactions", "locality", "max-delay", "partial-fences", "retries", "shape-share", "sync", "transaction", "fetch",
	// The embedded simulator.
	"barriers", "buffer-size", "core-bugs", "core-clock", "crossing", "device-threads", "event-order", "flush", "functional", "jitter", "l2-cores", "eager-repeats", "late-stores", "latency-seeds",
	"link-occupancy", "load-queue", "lock-hold", "memory-channels", "memory-jitter", "memory-latency", "memory-reorder", "prefetch", "prefetch-streams", "reorder",
	"tbes", "topology", "wrong-path", "window", "store-buffer", "l2-banks",
	// gem5.
	"background", "background-lead", "background-seed", "background-threads", "evictions", "l1d-assoc", "l1d-size", "l1i-assoc", "l1i-size", "l2-assoc",
	"l2-size", "lfence", "link-latency", "network", "randomization", "stagger", "store-order", "tree-options",
	// Limits.
	"check-timeout", "deadlock-threshold", "livelock-threshold", "log-size", "max-ticks", "step-budget", "watchdog",
}

// Expert turns those of a command's flags that are options for experts into keys of --set, so
// that its help describes what most users need.
func Expert(cmd *cobra.Command) {
	keys := &expertKeys{flags: cmd.Flags(), names: map[string]string{}}
	for _, name := range expertOptions {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			continue
		}
		key := groupOf(f) + "." + name
		f.Hidden = true
		keys.names[key] = name
		keys.sorted = append(keys.sorted, key)
	}
	slices.Sort(keys.sorted)
	cmd.Flags().Var(keys, setFlag, "option for experts, as machine.jitter=8, which is --jitter 8; the manual of each simulator describes them")
	annotate(cmd.Flags().Lookup(setFlag), groupKey, groupOther)
	Complete(cmd, setFlag, keys.sorted)
}

// expertKeys is the flag --set of a command.
type expertKeys struct {
	flags  *pflag.FlagSet
	names  map[string]string // of flags, by key
	sorted []string          // the keys
	given  []string
}

// Set sets the option of KEY=VALUE.
func (k *expertKeys) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("want KEY=VALUE, as machine.jitter=8")
	}
	name := k.names[key]
	if name == "" {
		return fmt.Errorf("unknown key %q%s", key, messages.Hint(key, k.sorted))
	}
	k.given = append(k.given, text)
	return k.flags.Set(name, value)
}

// String returns what was set.
func (k *expertKeys) String() string { return strings.Join(k.given, ",") }

// Type is the word for the value in help texts.
func (k *expertKeys) Type() string { return "key=value" }

// keysText lists the keys of --set by group, in lines of a width, if a command has any.
func keysText(b *bytes.Buffer, cmd *cobra.Command, width int) {
	f := cmd.Flags().Lookup(setFlag)
	if f == nil {
		return
	}
	keys, ok := f.Value.(*expertKeys)
	if !ok {
		return
	}
	fmt.Fprintf(b, "\nKeys of --%s:\n", setFlag)
	for _, group := range groups {
		line := ""
		for _, key := range keys.sorted {
			if name, found := strings.CutPrefix(key, group+"."); found {
				line += " " + name
			}
		}
		if line != "" {
			indent := fmt.Sprintf("  %-9s", group+".")
			b.WriteString(messages.Wrap(strings.TrimSpace(line), indent, strings.Repeat(" ", len(indent)), width) + "\n")
		}
	}
}

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
)

// topic is a README.md of the manual. Its first line is "# NAME: SUMMARY".
type topic struct {
	name, summary, file string
	text                []byte
}

// topics lists the topics of the manual, by name. That of the root is ordeal.
func topics(manual fs.FS) ([]topic, error) {
	var list []topic
	err := fs.WalkDir(manual, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || path.Base(file) != "README.md" {
			return err
		}
		text, err := fs.ReadFile(manual, file)
		first, _, _ := bytes.Cut(text, []byte("\n"))
		name, summary, ok := strings.Cut(strings.TrimPrefix(string(first), "# "), ": ")
		if !ok {
			summary = "what Ordeal is for, and where to begin"
		}
		list = append(list, topic{strings.ToLower(name), summary, file, text})
		return err
	})
	slices.SortFunc(list, func(a, b topic) int { return strings.Compare(a.name, b.name) })
	return list, err
}

// newHelp replaces cobra's help command by one that knows the manual, too.
func newHelp(e *env, root *cobra.Command, manual fs.FS) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND… | TOPIC]",
		Short: "Describe a command, or print a topic of the manual",
		Long: `Print a topic of the manual, or describe a command as COMMAND --help does. Without
an argument it lists both. The topics are the README.md files of Ordeal's folders.`,
		Example: `  ordeal help campaign run
  ordeal help gem5`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			at, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			names := command.Names(at)
			if list, err := topics(manual); err == nil && len(args) == 0 {
				for _, t := range list {
					names = append(names, t.name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		list, err := topics(manual)
		if err != nil {
			return err
		}
		if len(args) == 0 {
			if err := root.Help(); err != nil {
				return err
			}
			fmt.Fprintf(e.Stdout, "\nTopics of the manual, for ordeal help TOPIC:\n")
			for _, t := range list {
				fmt.Fprintf(e.Stdout, "  %-15s %s\n", t.name, t.summary)
			}
			return nil
		}
		// Where a command has the name of a topic, COMMAND --help describes it.
		if i := slices.IndexFunc(list, func(t topic) bool { return t.name == args[0] }); i >= 0 && len(args) == 1 {
			_, err := e.Stdout.Write(list[i].text)
			return err
		}
		if at, rest, err := root.Find(args); err == nil && at != root && len(rest) == 0 {
			return at.Help()
		}
		known := command.Names(root)
		for _, t := range list {
			known = append(known, t.name)
		}
		return command.Usage(fmt.Errorf("help: no command or topic %q%s", strings.Join(args, " "), messages.Hint(args[len(args)-1], known)))
	}
	return cmd
}

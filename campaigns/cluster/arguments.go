package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// refused are the options of sbatch that a submission sets itself, or that would
// have it submit something else, by their long names and with their letters.
// Its documentation is sbatch(1) of Slurm 22.05.
var refused = map[string]string{
	"array": "a", "dependency": "d", "job-name": "J", "output": "o",
	"chdir": "D", "clusters": "M", "error": "e", "input": "i", "no-requeue": "", "open-mode": "", "parsable": "", "requeue": "",
	"signal": "", "test-only": "", "wait": "W", "wrap": "",
}

// flagLetters are the letters of sbatch's options without a value, so that more
// letters may follow them in a word.
const flagLetters = "hHkIOQsuvV"

// CheckArgs checks further arguments for sbatch: each is one option with its
// value in one word, and none that a submission sets itself. sbatch takes
// abbreviations of long options, and joined short ones.
func CheckArgs(args []string) error {
	for _, arg := range args {
		name, isLong := strings.CutPrefix(arg, "--")
		switch {
		case len(arg) < 2 || arg[0] != '-' || arg == "--":
			return fmt.Errorf("--sbatch-arg %q: want an option with its value in one word, as --nice=10", arg)
		case isLong:
			name, _, _ = strings.Cut(name, "=")
			for _, option := range slices.Sorted(maps.Keys(refused)) {
				if strings.HasPrefix(option, name) {
					return refusal(arg, option)
				}
			}
			continue
		}
		for _, letter := range arg[1:] {
			for option, short := range refused {
				if short == string(letter) {
					return refusal(arg, option)
				}
			}
			if !strings.ContainsRune(flagLetters, letter) {
				break // the rest is its value
			}
		}
	}
	return nil
}

func refusal(arg, option string) error {
	return fmt.Errorf("--sbatch-arg %s: jobs are submitted without --%s or with their own", arg, option)
}

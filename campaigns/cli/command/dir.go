package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// RunsDir is where campaigns, runs and their index are by default.
const RunsDir = "runs"

// NewDir makes a directory runs/NAME-TIME that did not exist.
func NewDir(name string) (string, error) {
	runs := run.Resolve(RunsDir)
	if err := run.MakeDurable(runs); err != nil {
		return "", err
	}
	base := filepath.Join(runs, name+"-"+time.Now().Format("20060102-150405"))
	dir := base
	for i := 2; ; i++ {
		err := run.Mkdir(dir)
		if !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

// OutputDir is the directory that a flag names, or, without one, a new one named by what it is of.
func OutputDir(named, of string) (string, error) {
	if named != "" {
		return run.Resolve(named), nil
	}
	return NewDir(of)
}

// Positive demands that a duration given by a flag is positive.
func Positive(flag string, d config.Duration) error {
	if d <= 0 {
		return fmt.Errorf("--%s %v: want a positive duration", flag, d)
	}
	return nil
}

// recorded lists the directories of runs and campaigns in a directory, whose path
// ends in a slash or is empty.
func recorded(dir string) []string {
	entries, err := run.ReadDir(filepath.Join(".", dir))
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		path := dir + e.Name()
		if e.IsDir() && (run.Exists(filepath.Join(path, run.SpecFile)) || run.Exists(filepath.Join(path, journal.CampaignFile))) {
			list = append(list, path)
		}
	}
	return list
}

package html

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/run"
)

// The files of results of ordeal mutate run, and where they are looked for in
// the directory of a campaign.
var (
	matrixFiles = []string{"matrix.json", "matrix.jsonl"}
	matrixDirs  = []string{".", "kill", "mutants"}
)

// readMatrix reads the results in a file or directory; nil if the directory
// holds none.
func readMatrix(name string) ([]mutation.Result, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		data, err := run.ReadFile(run.Resolve(name))
		if err != nil {
			return nil, err
		}
		return mutation.ParseResults(name, data)
	}
	for _, file := range matrixFiles {
		path := filepath.Join(run.Resolve(name), file)
		data, err := run.ReadFile(path)
		if err == nil {
			return mutation.ParseResults(path, data)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s holds neither %s", name, strings.Join(matrixFiles, " nor "))
}

// matrix finds the results to show: those asked for, else those in the
// directory of the campaign.
func (p *page) matrix(asked string) ([]mutation.Result, error) {
	if asked != "" {
		return readMatrix(asked)
	}
	for _, dir := range matrixDirs {
		for _, file := range matrixFiles {
			name := filepath.Join(dir, file)
			data, err := p.files.Read(name, matrixLimit)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, err
			}
			return mutation.ParseResults(name, data)
		}
	}
	return nil, nil
}

type matrixView struct {
	Mutants, Cores string
	Protocols      []scoreView
	Columns        []string // kinds of core
	Operators      []operatorView
	Survivors      []survivorView
	MoreSurvivors  int
}

// scoreView is a score with its interval; Low, High and Killed are in per
// mille, for the bar.
type scoreView struct {
	Name                          string
	Mutants, Equivalent, Compared int
	Killed, Never, Same, Other    int
	Score, Interval               string
	Share, Low, High              int
	Median, Most, By              string
	Censored                      int
	Class                         string
}

// operatorView is a line of the grid of operators and kinds of core.
type operatorView struct {
	Name  string
	Cells []scoreView
	All   scoreView
}

type survivorView struct{ Mutant, Why string }

// viewMatrix makes the view of results; nil without results.
func viewMatrix(results []mutation.Result) *matrixView {
	if len(results) == 0 {
		return nil
	}
	v := &matrixView{}
	protocol := func(r *mutation.Result) string { return r.Protocol }
	names, scores := mutation.Scores(results, protocol)
	for _, name := range names {
		v.Protocols = append(v.Protocols, viewScore(name, scores[name]))
	}
	_, all := mutation.Scores(results, func(*mutation.Result) string { return "all" })
	if len(names) > 1 {
		v.Protocols = append(v.Protocols, viewScore("all", all["all"]))
	}
	v.Columns, _ = mutation.Scores(results, func(r *mutation.Result) string { return r.Core })
	operators, scores := mutation.Scores(results, func(r *mutation.Result) string { return string(r.Operator) })
	_, cells := mutation.Scores(results, func(r *mutation.Result) string { return string(r.Operator) + "\x00" + r.Core })
	slices.Sort(operators)
	for _, name := range operators {
		row := operatorView{Name: clip(name, nameShown), All: viewScore(name, scores[name])}
		for _, core := range v.Columns {
			row.Cells = append(row.Cells, viewScore(core, cells[name+"\x00"+core]))
		}
		v.Operators = append(v.Operators, row)
	}
	v.Mutants, v.Cores = messages.Comma(all["all"].Mutants), messages.Plural(len(v.Columns), "kind")+" of core"
	survivors := mutation.Survivors(results)
	for _, s := range survivors[:min(len(survivors), rowsShown)] {
		v.Survivors = append(v.Survivors, survivorView{clip(s.Mutant, titleShown), clip(s.Reason, titleShown)})
	}
	v.MoreSurvivors = len(survivors) - len(v.Survivors)
	return v
}

// viewScore makes the view of a score; that of none is empty.
func viewScore(name string, s *mutation.Score) scoreView {
	v := scoreView{Name: clip(name, nameShown)}
	if s == nil {
		return v
	}
	v.Mutants, v.Equivalent, v.Killed = s.Mutants, s.Status[mutation.Equivalent], s.Status[mutation.Killed]
	v.Never, v.Same, v.Other = s.Status[mutation.NeverTaken], s.Status[mutation.NoDifference], s.Other()
	v.Compared, v.Censored = s.Compared(), s.Censored
	if v.Compared == 0 {
		v.Score, v.Interval, v.Median, v.Most = "–", "–", "–", "–"
		return v
	}
	v.Score = percent(v.Killed, v.Compared)
	low, high := summary.Wilson(v.Killed, v.Compared)
	v.Share, v.Low, v.High = 1000*v.Killed/v.Compared, int(1000*low), int(math.Ceil(1000*high))
	v.Interval = fmt.Sprintf("%.0f–%.0f %%", 100*low, 100*high)
	v.Class = fmt.Sprintf("k%d", min(v.Share/200, 4))
	v.Median, v.Most = quantile(s, 0.5), quantile(s, 0.95)
	var by []string
	for _, outcome := range sortedKeys(s.By) {
		by = append(by, fmt.Sprintf("%s %d", clip(outcome, nameShown), s.By[outcome]))
	}
	v.By = strings.Join(by, ", ")
	return v
}

// quantile is a number of operations to kill; where the seeds that were given
// up reach that far, it is only known to be more than the budget.
func quantile(s *mutation.Score, share float64) string {
	if n, ok := s.Quantile(share); ok {
		return messages.Comma(n)
	}
	if len(s.Ops) == 0 {
		return "–"
	}
	return "> " + messages.Comma(s.Ops[len(s.Ops)-1])
}

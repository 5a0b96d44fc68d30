package html

import (
	"fmt"
	"path"

	"ordeal/campaigns/rundir"
	"ordeal/gen"
)

func (p *page) program(run string) (*gen.Program, error) {
	name := path.Join(run, rundir.ProgramFile)
	text, err := p.files.read(name, programLimit)
	if err != nil {
		return nil, err
	}
	program, err := gen.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return program, nil
}

// rounds are those of a record, if its program can have as many.
func rounds(program *gen.Program, record *rundir.Spec) (int, error) {
	if n := record.Config.Rounds; n >= 1 && n <= program.MaxRounds() {
		return n, nil
	}
	return 0, fmt.Errorf("%d rounds: the program has at most %d", record.Config.Rounds, program.MaxRounds())
}

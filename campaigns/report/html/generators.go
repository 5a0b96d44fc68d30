package html

import (
	"fmt"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
)

// generatorView is how many trials a family of programs ended, by machine.
type generatorView struct {
	Name    string
	Kills   []int
	Share   int // per mille of all kills
	Percent string
}

// viewGenerators counts what ended the trials that killed: nothing for results
// that do not say it, in which all seems to be the first family's.
func viewGenerators(results []mutation.Result) ([]string, []generatorView) {
	type source struct{ generator, machine int }
	kills := make(map[source]int)
	most, all := source{}, 0
	for i := range results {
		for _, t := range results[i].Seeds {
			if !t.Killed || t.Generator < 0 || t.Generator >= sourcesShown || t.Machine < 0 || t.Machine >= sourcesShown {
				continue
			}
			kills[source{t.Generator, t.Machine}]++
			most = source{max(most.generator, t.Generator), max(most.machine, t.Machine)}
			all++
		}
	}
	if most == (source{}) {
		return nil, nil
	}
	var machines []string
	for m := range most.machine + 1 {
		machines = append(machines, nameMachine(m))
	}
	var list []generatorView
	for g := range most.generator + 1 {
		v := generatorView{Name: nameGenerator(g)}
		sum := 0
		for m := range machines {
			n := kills[source{g, m}]
			v.Kills, sum = append(v.Kills, n), sum+n
		}
		v.Share, v.Percent = 1000*sum/all, percent(sum, all)
		list = append(list, v)
	}
	return machines, list
}

// sourcesShown bounds the families of programs and the machines.
const sourcesShown = 24

// nameGenerator describes a family of programs by its place among those that
// mutants are measured with.
func nameGenerator(n int) string {
	known := mutation.Generators()
	if n >= len(known) {
		return fmt.Sprintf("family %d", n+1)
	}
	p := &known[n]
	words := []string{fmt.Sprintf("%s of %s", messages.Plural(p.Threads, "thread"), messages.Plural(p.Ops, "operation")), messages.Plural(p.Locations, "location")}
	if layout := fmt.Sprint(p.Layout); layout != fmt.Sprint(config.DefaultPrograms().Layout) {
		words = append(words, "layout "+layout)
	}
	if p.DMA > 0 {
		words = append(words, messages.Plural(p.DMA, "device"))
	}
	if p.ShapeShare >= 0.5 {
		words = append(words, "critical cycles")
	}
	return strings.Join(words, ", ")
}

func nameMachine(n int) string {
	known := mutation.Machines()
	if n >= len(known) {
		return fmt.Sprintf("machine %d", n+1)
	}
	m := &known[n]
	var words []string
	if m.PrivateCache != "" {
		words = append(words, "caches "+m.PrivateCache+", "+m.SharedCache)
	}
	if m.Jitter > 0 {
		words = append(words, fmt.Sprintf("jitter %d", m.Jitter))
	}
	if len(words) == 0 {
		return "default machine"
	}
	return strings.Join(words, ", ")
}

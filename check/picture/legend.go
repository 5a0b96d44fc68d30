package picture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// legendLine explains a kind of arc, or what is heavy.
type legendLine struct {
	class, text string
}

// sampleWidth is what the sample of a line takes in the legend.
const sampleWidth = 36

// arcTexts say what labels of arcs mean, in the order of the legend; arcs without a label
// are of program order. The dashed line of what is derived has no label of its own.
var arcTexts = []struct{ label, text string }{
	{"po", "po: program order"},
	{"fence", "fence: order kept by a fence"},
	{"dep", "dep: order kept by a dependency"},
	{"real time", "real time: one ended before the other began"},
	{"rf", "rf: the load reads from this store"},
	{"co", "co: order of the stores to a location"},
	{"fr", "fr: the load reads what this store overwrites, or an older value"},
	{"assumed", "assumed: this case"},
}

// legend explains the arcs of a picture.
func (p *Picture) legend() []legendLine {
	type use struct {
		label string
		kind  arcKind
	}
	used := map[use]bool{}
	heavy, thin := false, false
	for i := range p.panels {
		for k := range p.panels[i].arcs {
			a := &p.panels[i].arcs[k]
			word, _, _ := strings.Cut(a.label, " (")
			if word == "" {
				word = "po"
			}
			used[use{word, a.kind}] = true
			heavy, thin = heavy || a.cycle, thin || !a.cycle
		}
	}
	var lines []legendLine
	for _, t := range arcTexts {
		for kind, class := range arcNames {
			if used[use{t.label, arcKind(kind)}] {
				text := t.text
				if arcKind(kind) == derivedOrder {
					text += ", which follows from the other arcs"
				}
				lines = append(lines, legendLine{class, text})
			}
		}
	}
	if heavy && thin {
		lines = slices.Insert(lines, 0, legendLine{"po cycle", "thick lines: the cycle, which no order of the operations can have"})
	}
	return lines
}

// write writes a line of the legend below a height.
func (l *legendLine) write(out *bytes.Buffer, top float64) {
	kind, _, _ := strings.Cut(l.class, " ")
	fmt.Fprintf(out, `<path class="sample %s" marker-end="url(#m-%s)" d="M%d %.1fH%d"/>`, l.class, kind, margin, top, margin+sampleWidth-10)
	writeText(out, "key", margin+sampleWidth, top+4, l.text)
}

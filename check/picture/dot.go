package picture

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// dotColours are those of arcs in DOT.
var dotColours = [...]string{
	programOrder: "gray30", readsFrom: "firebrick", coherenceOrder: "royalblue", fromRead: "darkorange",
	derivedOrder: "royalblue", assumedOrder: "purple",
}

// WriteDot writes the picture in the language of Graphviz: a cluster for each
// case, in it one for each thread.
func (p *Picture) WriteDot(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "digraph refutation {\n  label=%s; labelloc=t; node [shape=box, fontname=monospace]; edge [fontname=monospace, fontsize=10];\n", strconv.Quote(p.title))
	for n := range p.panels {
		fmt.Fprintf(&out, "  subgraph cluster_%d {\n    label=%s;\n", n, strconv.Quote(p.panels[n].head))
		for i, c := range p.columns {
			fmt.Fprintf(&out, "    subgraph cluster_%d_%d {\n      label=%s;\n", n, i, strconv.Quote(c.Head))
			for row := range c.Nodes {
				fmt.Fprintf(&out, "      %s [label=%s];\n", dotName(n, spot{i, row}), strconv.Quote(c.Nodes[row].label()))
			}
			out.WriteString("    }\n")
		}
		for _, a := range p.panels[n].arcs {
			fmt.Fprintf(&out, "    %s -> %s [color=%s, label=%s", dotName(n, a.from), dotName(n, a.to), dotColours[a.kind], strconv.Quote(a.label))
			if a.cycle {
				out.WriteString(", penwidth=2.5")
			}
			if a.kind == derivedOrder || a.kind == assumedOrder {
				out.WriteString(", style=dashed")
			}
			out.WriteString("];\n")
		}
		out.WriteString("  }\n")
	}
	if p.more > 0 {
		fmt.Fprintf(&out, "  more [shape=plaintext, label=\"and %d more cases\"];\n", p.more)
	}
	out.WriteString("}\n")
	_, err := w.Write(out.Bytes())
	return err
}

func dotName(panel int, p spot) string { return fmt.Sprintf("n%d_%d_%d", panel, p.column, p.row) }

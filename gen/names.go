package gen

import "fmt"

var opKindNames = [...]string{
	Load: "load", Store: "store", Exchange: "exchange",
	FetchAdd: "add", FullFence: "fence", Delay: "delay",
}

// String is the kind's keyword in the text form.
func (k OpKind) String() string {
	if int(k) < len(opKindNames) && k != OpUnknown {
		return opKindNames[k]
	}
	return "unknown"
}

// parseOpKind is the inverse of String; OpUnknown stands for no kind.
func parseOpKind(word []byte) OpKind {
	for k := Load; int(k) < len(opKindNames); k++ {
		if string(word) == opKindNames[k] {
			return k
		}
	}
	return OpUnknown
}

var layoutNames = [...]string{
	Packed: "packed", Spread: "spread", Pairs: "pairs", Conflict: "conflict",
}

// Layouts lists the memory layouts, in the order of their numbers.
func Layouts() []Layout { return []Layout{Packed, Spread, Pairs, Conflict} }

// String is the layout's name in the text form and on the command line.
func (l Layout) String() string {
	if int(l) < len(layoutNames) && l != LayoutUnknown {
		return layoutNames[l]
	}
	return "unknown"
}

// ParseLayout is the inverse of Layout.String for the known layouts.
func ParseLayout(name string) (Layout, error) {
	for _, l := range Layouts() {
		if name == layoutNames[l] {
			return l, nil
		}
	}
	return LayoutUnknown, fmt.Errorf("unknown layout %q: want packed, spread, pairs or conflict", name)
}

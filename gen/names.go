package gen

import (
	"fmt"

	"ordeal/gen/option"
)

var opKindNames = option.Names[OpKind]{"unknown", "load", "store", "exchange", "add", "fence", "delay", "fence", "load-linked", "store-conditional"}

// String is the kind's keyword in the text form.
func (k OpKind) String() string { return opKindNames.Of(k) }

// parseOpKind is the inverse of String; OpUnknown if there is none.
func parseOpKind(word []byte) OpKind {
	for k := Load; int(k) < len(opKindNames); k++ {
		if string(word) == opKindNames[k] {
			return k
		}
	}
	return OpUnknown
}

var layoutNames = [...]string{
	AnyLayout: "any", Packed: "packed", Spread: "spread", Pairs: "pairs", Conflict: "conflict",
}

// Layouts lists the memory layouts of programs, in the order of their numbers.
func Layouts() []Layout { return []Layout{Packed, Spread, Pairs, Conflict} }

// String is the layout's name in the text form and as an option.
func (l Layout) String() string {
	if int(l) < len(layoutNames) {
		return layoutNames[l]
	}
	return "unknown"
}

// ParseLayout is the inverse of Layout.String for the layouts of programs.
func ParseLayout(name string) (Layout, error) {
	for _, l := range Layouts() {
		if name == layoutNames[l] {
			return l, nil
		}
	}
	return AnyLayout, fmt.Errorf("unknown layout %q: want packed, spread, pairs or conflict", name)
}

// MarshalText is String.
func (l Layout) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is the inverse of String, AnyLayout included.
func (l *Layout) UnmarshalText(text []byte) (err error) {
	if *l = AnyLayout; string(text) == layoutNames[AnyLayout] {
		return nil
	}
	if *l, err = ParseLayout(string(text)); err != nil {
		return fmt.Errorf("%w, or any", err)
	}
	return nil
}

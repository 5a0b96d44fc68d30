// Package option reads declarations of options. An option is declared once, as
// a field of a struct with tags; flags, keys of files, their schema, validation
// and help texts are derived from it:
//
//	Delays float64 `yaml:"delays" schema:"min=0,below=1" help:"share of delays"`
//
// The tag yaml has the option's name, the tag help one line about it. The tag
// schema joins by commas: min, max, below (bounds of a number), unit, zero or
// empty (what the zero value stands for), values and suggest (the name of a
// list of values, the whole list or examples), form (the name of a syntax) and
// required.
package option

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Option is the declaration of an option.
type Option struct {
	Name string
	Help string
	Unit string
	Zero string // what the zero value stands for; empty: itself
	// Min, Max and Below bound a number, Below without itself; nil: no bound.
	Min, Max, Below *float64
	// Values and Suggest name lists of values: all of them, or examples.
	Values, Suggest string
	Form            string
	Required        bool
	Field           reflect.StructField
}

// Of lists the options that struct type t declares, in order; those of embedded
// structs stand in their place. It panics on a malformed tag.
func Of(t reflect.Type) []Option {
	var list []Option
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		o := Option{Name: name, Help: f.Tag.Get("help"), Field: f}
		for part := range strings.SplitSeq(f.Tag.Get("schema"), ",") {
			if err := o.set(part); err != nil {
				panic(fmt.Sprintf("option %s: tag schema: %q: %v", name, part, err))
			}
		}
		list = append(list, o)
	}
	return list
}

// set reads one part of the tag schema.
func (o *Option) set(part string) (err error) {
	name, value, _ := strings.Cut(part, "=")
	number := func() *float64 {
		var n float64
		n, err = strconv.ParseFloat(value, 64)
		return &n
	}
	switch name {
	case "":
	case "min":
		o.Min = number()
	case "max":
		o.Max = number()
	case "below":
		o.Below = number()
	case "unit":
		o.Unit = value
	case "zero", "empty":
		o.Zero = value
	case "values":
		o.Values = value
	case "suggest":
		o.Suggest = value
	case "form":
		o.Form = value
	case "required":
		o.Required = true
	default:
		err = fmt.Errorf("unknown part")
	}
	return err
}

// Limits describes the bounds of a number, as "1 to 64"; empty without any.
func (o *Option) Limits() string {
	number := func(n *float64) string { return strconv.FormatFloat(*n, 'f', -1, 64) }
	switch {
	case o.Min == nil:
		return ""
	case o.Max != nil:
		return number(o.Min) + " to " + number(o.Max)
	case o.Below != nil:
		return number(o.Min) + " to below " + number(o.Below)
	}
	return "at least " + number(o.Min)
}

// within reports whether a number is within the bounds; NaN is not.
func (o *Option) within(n float64) bool {
	return (o.Min == nil || n >= *o.Min) && (o.Max == nil || n <= *o.Max) && (o.Below == nil || n < *o.Below)
}

// Fault is an option with an unusable value.
type Fault struct{ Name, Message string }

// Error names the option as a flag.
func (f Fault) Error() string { return "--" + f.Name + " " + f.Message }

// Faultf returns the fault of the named option.
func Faultf(name, format string, args ...any) Fault {
	return Fault{name, fmt.Sprintf(format, args...)}
}

// Check lists the numbers among the options of a struct that exceed their
// bounds.
func Check[T any](options *T) []Fault {
	var faults []Fault
	value := reflect.ValueOf(options).Elem()
	for _, o := range Of(value.Type()) {
		v := value.FieldByIndex(o.Field.Index)
		var n float64
		switch {
		case v.CanInt():
			n = float64(v.Int())
		case v.CanUint():
			n = float64(v.Uint())
		case v.CanFloat():
			n = v.Float()
		default:
			continue
		}
		if !o.within(n) {
			faults = append(faults, Faultf(o.Name, "%v: want %s", v, o.Limits()))
		}
	}
	return faults
}

// Package option reads declarations of options. An option is declared once, as
// a field of a struct with tags; flags, keys of files, their schema, validation
// and help texts are derived from it:
//
//	Delays float64 `yaml:"delays" schema:"min=0,below=1" help:"share of delays"`
//
// The tag yaml has the option's name, the tag help one line about it, and the
// tag sim the simulators that have it, separated by commas (none: all). The tag
// schema joins by commas: min, max, below (bounds of a number), unit, zero or
// empty (the meaning of the zero value), values and suggest (the name of a
// list of values, the whole list or examples), form (the name of a syntax),
// required, and env (environment variables are expanded).
package option

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Option is the declaration of an option.
type Option struct {
	Name string
	Help string
	Sims []string // empty: all
	Unit string
	Zero string // the meaning of the zero value; empty: itself
	// Min, Max and Below bound a number, Below without itself; nil: no bound.
	Min, Max, Below *float64
	// Values and Suggest name lists of values: all of them, or examples.
	Values, Suggest string
	Form            string
	Required, Env   bool
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
		if sims := f.Tag.Get("sim"); sims != "" {
			o.Sims = strings.Split(sims, ",")
		}
		for part := range strings.SplitSeq(f.Tag.Get("schema"), ",") {
			if err := o.set(part); err != nil {
				panic(fmt.Sprintf("option %s: tag schema: %q: %v", name, part, err))
			}
		}
		list = append(list, o)
	}
	return list
}

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
	case "env":
		o.Env = true
	default:
		err = fmt.Errorf("unknown part")
	}
	return err
}

// Has reports whether a simulator has the option.
func (o *Option) Has(sim string) bool { return len(o.Sims) == 0 || slices.Contains(o.Sims, sim) }

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

// None is the whole number that a written 0 stands for: itself, or -1 of an option that
// has that for none. It is an error where it would be taken for another number, the default.
func (o *Option) None() (int64, error) {
	if o.Min != nil && *o.Min < 0 {
		return -1, nil
	}
	if o.Zero != "" && o.Zero[0] >= '0' && o.Zero[0] <= '9' {
		return 0, fmt.Errorf("0 would be taken for the default, %s: leave it out, or give a number above 0", o.Zero)
	}
	return 0, nil
}

// within reports whether a number is within the bounds; NaN is not.
func (o *Option) within(n float64) bool {
	return (o.Min == nil || n >= *o.Min) && (o.Max == nil || n <= *o.Max) && (o.Below == nil || n < *o.Below)
}

// Fault is an option with an unusable value.
type Fault struct{ Name, Message string }

// Error names the option as a flag. Most messages begin with the value.
func (f Fault) Error() string {
	if strings.HasPrefix(f.Message, "unknown ") {
		return "--" + f.Name + ": " + f.Message
	}
	return "--" + f.Name + " " + f.Message
}

// Faultf returns the fault of the named option.
func Faultf(name, format string, args ...any) Fault {
	return Fault{name, fmt.Sprintf(format, args...)}
}

// Faults lists the faults that an error joins. One that is no Fault is the
// fault of option other.
func Faults(err error, other string) []Fault {
	var f Fault
	switch joined, ok := err.(interface{ Unwrap() []error }); {
	case err == nil:
		return nil
	case ok:
		var all []Fault
		for _, e := range joined.Unwrap() {
			all = append(all, Faults(e, other)...)
		}
		return all
	case errors.As(err, &f):
		return []Fault{f}
	}
	return []Fault{{other, err.Error()}}
}

// Join makes an error of faults, nil of none.
func Join(faults []Fault) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// Rules define what tags refer to by name.
type Rules struct {
	Values map[string]func() []string       // lists of values
	Forms  map[string]func() *regexp.Regexp // compiled on first use
	// Hint adds what the known values are to the message about another one.
	Hint func(value string, known []string) string
}

// List returns the named list of values, nil for a name without one.
func (r *Rules) List(name string) []string {
	if list := r.Values[name]; list != nil {
		return list()
	}
	return nil
}

// Check lists the options of a struct, given by pointer, whose values exceed
// their bounds or are not as the rules say.
func (r *Rules) Check(options any) []Fault {
	return r.CheckDeclared(Of(reflect.TypeOf(options).Elem()), options)
}

// CheckDeclared is Check for the options that Of lists, which takes longer than the
// check itself.
func (r *Rules) CheckDeclared(list []Option, options any) []Fault {
	var faults []Fault
	value := reflect.ValueOf(options).Elem()
	for i := range list {
		o := &list[i]
		v := value.FieldByIndex(o.Field.Index)
		var n float64
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
			for j := range v.Len() {
				faults = append(faults, r.CheckText(o, v.Index(j).String())...)
			}
			continue
		case v.Kind() == reflect.String:
			faults = append(faults, r.CheckText(o, v.String())...)
			continue
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

// CheckText checks a value of an option that is text or a list of texts.
func (r *Rules) CheckText(o *Option, text string) []Fault {
	if text == "" && !o.Required && (o.Zero != "" || o.Values == "") {
		return nil
	}
	if known := r.List(o.Values); known != nil && !slices.Contains(known, text) {
		return []Fault{Faultf(o.Name, "unknown value %q%s", text, r.Hint(text, known))}
	}
	if form := r.Forms[o.Form]; form != nil && !form().MatchString(text) {
		return []Fault{Faultf(o.Name, "%q is not of the form %s", text, form())}
	}
	return nil
}

package command

import (
	"cmp"
	"encoding"
	"encoding/csv"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/config"
	"ordeal/gen/option"
)

// Declare adds a flag to a command for each option of a struct, given by
// pointer: of those named, or of all. The values that the struct has are the
// defaults.
func Declare(cmd *cobra.Command, options any, names ...string) {
	value := reflect.ValueOf(options).Elem()
	group := structGroup(value.Type())
	for _, o := range option.Of(value.Type()) {
		if len(names) > 0 && !slices.Contains(names, o.Name) {
			continue
		}
		v := &optionFlag{Option: o, value: value.FieldByIndex(o.Field.Index)}
		if o.Name == "machine-file" { // the key says what the flag's FILE says
			o.Name = "machine"
		}
		flag := cmd.Flags().VarPF(v, o.Name, "", v.usage())
		if v.value.Kind() == reflect.Bool {
			flag.NoOptDefVal = "true"
		}
		if group != "" {
			annotate(flag, groupKey, group)
		}
		if values := config.Rules.List(cmp.Or(o.Values, o.Suggest)); values != nil {
			Complete(cmd, o.Name, values)
		}
	}
}

// structGroup is the group of the options that a struct declares.
func structGroup(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[config.Programs]():
		return GroupProgram
	case reflect.TypeFor[config.Machine]():
		return GroupMachine
	case reflect.TypeFor[config.Gem5]():
		return GroupGem5
	}
	return ""
}

// Complete has shells complete the values of a flag.
func Complete(cmd *cobra.Command, flag string, values []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag exists
	}
}

// valuesShown bounds the values that the help of a flag lists.
const valuesShown = 8

// optionFlag is the flag of a declared option.
type optionFlag struct {
	option.Option
	value reflect.Value
	set   bool
}

// usage is the line of help: which simulators have the option, what it is, and
// its limits.
func (f *optionFlag) usage() string {
	text := f.Help
	if len(f.Sims) > 0 {
		text = strings.Join(f.Sims, ", ") + ": " + text
	}
	if f.Unit != "" {
		text += ", in " + f.Unit
	}
	named := func(value string) bool { return strings.Contains(f.Help, value) }
	values := config.Rules.List(cmp.Or(f.Values, f.Suggest))
	if len(values) > 0 && len(values) <= valuesShown && len(slices.DeleteFunc(slices.Clone(values), named)) > 0 {
		text += ": " + strings.Join(values, ", ")
	}
	if limits := f.Limits(); limits != "" && limits != "at least 0" {
		text += ": " + limits
	}
	if f.Zero != "" && f.value.IsZero() {
		text += " (default " + f.Zero + ")"
	}
	return text
}

// Set reads the value from the command line. A list is separated by commas;
// further flags add to it.
func (f *optionFlag) Set(text string) error {
	first := !f.set
	f.set = true
	if u, ok := f.value.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil || !f.value.IsZero() {
			return err
		}
		_, err := f.None()
		return err
	}
	for word := range strings.SplitSeq(text, ",") {
		if faults := config.Rules.CheckText(&f.Option, word); f.Values != "" && len(faults) > 0 {
			return errors.New(faults[0].Message)
		}
	}
	var err error
	switch v := f.value; {
	case v.CanInt():
		var n int64
		if n, err = strconv.ParseInt(text, 10, v.Type().Bits()); n == 0 && err == nil {
			if n, err = f.None(); err != nil {
				return err
			}
		}
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(text, 10, v.Type().Bits()); n == 0 && err == nil {
			if _, err := f.None(); err != nil {
				return err
			}
		}
		v.SetUint(n)
	case v.CanFloat():
		var n float64
		n, err = strconv.ParseFloat(text, 64)
		v.SetFloat(n)
	case v.Kind() == reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		v.SetBool(b)
	case v.Kind() == reflect.Slice:
		var words []string
		if text != "" {
			words, err = csv.NewReader(strings.NewReader(text)).Read()
		}
		if !first {
			words = slices.Concat(v.Interface().([]string), words)
		}
		v.Set(reflect.ValueOf(words))
	default:
		v.SetString(text)
	}
	if err != nil {
		return fmt.Errorf("%q is no %s", text, f.Type())
	}
	return nil
}

// String is the value as Set reads it, and empty for a zero value that stands
// for another.
func (f *optionFlag) String() string {
	switch v := f.value; {
	case !v.IsValid(), f.Zero != "" && v.IsZero():
		return ""
	case v.Kind() == reflect.Slice:
		return strings.Join(v.Interface().([]string), ",")
	default:
		return fmt.Sprint(v)
	}
}

// Type is the word for the value in help texts.
func (f *optionFlag) Type() string {
	switch t := f.value.Type(); {
	case t == reflect.TypeFor[config.Size]():
		return "size"
	case t == reflect.TypeFor[config.Duration]():
		return "duration"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.String, f.Values != "", f.Form != "":
		return "text"
	}
	return "number"
}

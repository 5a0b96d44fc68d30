package option_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen/option"
)

type inner struct {
	Share float64 `yaml:"share" schema:"min=0,below=1" help:"a share"`
	Name  string  `yaml:"name" schema:"values=names,suggest=some,form=name,empty=none,required"`
}

type outer struct {
	Count int `yaml:"count" schema:"min=1,max=4,unit=pieces,zero=all"`
	inner `yaml:",inline"`
	Size  uint8 `yaml:"size" schema:"min=2"`
	plain int   //lint:ignore U1000 fields without tags are no options
}

func TestOf(t *testing.T) {
	number := func(n float64) *float64 { return &n }
	want := []option.Option{
		{Name: "count", Min: number(1), Max: number(4), Unit: "pieces", Zero: "all"},
		{Name: "share", Help: "a share", Min: number(0), Below: number(1)},
		{Name: "name", Values: "names", Suggest: "some", Form: "name", Zero: "none", Required: true},
		{Name: "size", Min: number(2)},
	}
	got := option.Of(reflect.TypeFor[outer]())
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(option.Option{}, "Field")); diff != "" {
		t.Error(diff)
	}
}

func TestCheck(t *testing.T) {
	o := outer{Count: 4, Size: 2}
	if diff := cmp.Diff([]option.Fault(nil), new(option.Rules).Check(&o)); diff != "" {
		t.Error(diff)
	}
	o = outer{Count: 5, Size: 1, inner: inner{Share: math.NaN()}}
	want := []option.Fault{
		{Name: "count", Message: "5: want 1 to 4"}, {Name: "share", Message: "NaN: want 0 to below 1"}, {Name: "size", Message: "1: want at least 2"},
	}
	if diff := cmp.Diff(want, new(option.Rules).Check(&o)); diff != "" {
		t.Error(diff)
	}
}

func TestCheckTexts(t *testing.T) {
	type texts struct {
		Core   string   `yaml:"core" schema:"values=cores,empty=tso"`
		Keep   string   `yaml:"keep" schema:"values=cores"`
		Name   string   `yaml:"name" schema:"form=name,required"`
		Shapes []string `yaml:"shapes" schema:"values=cores"`
	}
	rules := option.Rules{
		Values: map[string]func() []string{"cores": func() []string { return []string{"tso", "pso"} }},
		Forms:  map[string]func() *regexp.Regexp{"name": func() *regexp.Regexp { return regexp.MustCompile("^[a-z]+$") }},
		Hint:   func(value string, known []string) string { return fmt.Sprint(" ", known) },
	}
	if diff := cmp.Diff([]option.Fault(nil), rules.Check(&texts{Keep: "pso", Name: "a", Shapes: []string{"tso"}})); diff != "" {
		t.Error(diff)
	}
	want := []option.Fault{
		{Name: "core", Message: `unknown value "x" [tso pso]`}, {Name: "keep", Message: `unknown value "" [tso pso]`},
		{Name: "name", Message: `"" is not of the form ^[a-z]+$`}, {Name: "shapes", Message: `unknown value "y" [tso pso]`},
	}
	if diff := cmp.Diff(want, rules.Check(&texts{Core: "x", Shapes: []string{"pso", "y"}})); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	err := errors.Join(fmt.Errorf("generate: %w", option.Faultf("ops", "0: want %d", 1)), errors.Join(errors.New("no file")))
	want := []option.Fault{{Name: "ops", Message: "0: want 1"}, {Name: "core", Message: "no file"}}
	if diff := cmp.Diff(want, option.Faults(err, "core")); diff != "" {
		t.Error(diff)
	}
}

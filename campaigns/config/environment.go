package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/gen/option"
)

// Environment is what the values of a configuration have from variables of the
// environment. A record has the names of the variables in place of their values,
// which may be secret or mean nothing elsewhere; whoever reads it expands them
// again. It is not changed once it is made. The zero Environment has nothing.
type Environment struct {
	// Written are the values with variables, as a campaign file has them, by
	// option: one, or a list.
	Written map[string][]string `json:"written"`
	// Unset are the errors of options that could not be expanded.
	Unset map[string]string `json:"-"`
}

// expansion expands the values of options.
type expansion struct {
	// lenient leaves a value with a variable that is not set as it is.
	lenient bool
	dir     string // of the campaign file, where paths are relative to it
	// written are the values before their expansion, by node.
	written map[*yaml.Node]string
}

// node expands a scalar.
func (x *expansion) node(n *yaml.Node) error {
	text, err := document.Expand(n.Value, os.Getenv)
	if err != nil && (!x.lenient || !errors.Is(err, document.ErrUnset)) {
		return err
	}
	if x.written == nil {
		x.written = make(map[*yaml.Node]string)
	}
	if x.written[n] = n.Value; err == nil {
		n.Value = text
	}
	return nil
}

// environment is that of the configuration in a node; nil without variables.
func (x *expansion) environment(config *yaml.Node) *Environment {
	e := new(Environment)
	for _, o := range environmentOptions() {
		value := document.Child(config, o.Name)
		if value == nil {
			continue
		}
		nodes := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			nodes = value.Content
		}
		var written []string
		for _, n := range nodes {
			written = append(written, x.written[n])
		}
		_, _ = e.expand(o.Name, written) // an error is one of node
	}
	if e.Written == nil {
		return nil
	}
	return e
}

// expand gives the values of an option and notes what was written, if it has
// variables. A value with one that is not set stays as it is.
func (e *Environment) expand(option string, written []string) (values []string, err error) {
	used := false
	var unset error
	for _, text := range written {
		value, err := document.Expand(text, func(name string) string {
			used = true
			return os.Getenv(name)
		})
		if errors.Is(err, document.ErrUnset) {
			value, unset = text, cmp.Or(unset, err)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", option, err)
		}
		values = append(values, value)
	}
	if !used {
		return values, nil
	}
	if e.Written == nil {
		e.Written, e.Unset = make(map[string][]string), make(map[string]string)
	}
	if e.Written[option] = written; unset != nil {
		e.Unset[option] = unset.Error()
	}
	return values, nil
}

// environmentOptions are the options of a configuration whose values may have
// variables.
var environmentOptions = sync.OnceValue(func() []option.Option {
	return slices.DeleteFunc(option.Of(reflect.TypeFor[Config]()), func(o option.Option) bool { return !o.Env })
})

// MarshalJSON writes values with variables as they were written.
func (c Config) MarshalJSON() ([]byte, error) {
	type plain Config // without this method
	if c.Environment != nil {
		for _, o := range environmentOptions() {
			if _, ok := c.Environment.Written[o.Name]; ok {
				reflect.ValueOf(&c).Elem().FieldByIndex(o.Field.Index).SetZero()
			}
		}
		c.Environment = &Environment{Written: c.Environment.Written}
	}
	return json.Marshal(plain(c))
}

// UnmarshalJSON reads what MarshalJSON writes, and expands the variables. Complete
// says which are missing.
func (c *Config) UnmarshalJSON(data []byte) error {
	type plain Config // without this method
	if err := json.Unmarshal(data, (*plain)(c)); err != nil || c.Environment == nil {
		return err
	}
	e := new(Environment)
	for _, o := range environmentOptions() {
		written := c.Environment.Written[o.Name]
		if len(written) == 0 {
			continue
		}
		values, err := e.expand(o.Name, written)
		if err != nil {
			return err
		}
		field := reflect.ValueOf(c).Elem().FieldByIndex(o.Field.Index)
		if field.Kind() == reflect.Slice {
			field.Set(reflect.ValueOf(values))
		} else {
			field.SetString(values[0])
		}
	}
	c.Environment = e
	return nil
}

// Complete returns an error unless all variables of the values have been
// expanded.
func (c *Config) Complete() error {
	if c.Environment == nil {
		return nil
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.Environment.Unset)) {
		errs = append(errs, fmt.Errorf("%s, recorded as %q: %s", name, strings.Join(c.Environment.Written[name], " "), c.Environment.Unset[name]))
	}
	return errors.Join(errs...)
}

// Override takes what the environment gave to options that have other values
// now.
func (c *Config) Override(options ...string) {
	if c.Environment == nil {
		return
	}
	e := *c.Environment
	e.Written, e.Unset = maps.Clone(e.Written), maps.Clone(e.Unset)
	for _, name := range options {
		delete(e.Written, name)
		delete(e.Unset, name)
	}
	c.Environment = &e
}

// RecordValues makes records have the values of variables, not their names.
func (c *Campaign) RecordValues() {
	for i := range c.Configs {
		c.Configs[i].Environment = nil
	}
}

// recorded is the path of an option as the record has it: names must not depend on
// whether a variable is set.
func (c *Config) recorded(option, path string) string {
	if c.Environment != nil && len(c.Environment.Written[option]) > 0 {
		return c.Environment.Written[option][0]
	}
	return path
}

package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

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
	// Hashes tell, by variable, whether a value is the recorded one. They have
	// 16 bits: too few to find the value.
	Hashes map[string]string `json:"hashes"`
	// Now are the hashes of the values that were expanded.
	Now map[string]string `json:"-"`
	// Unset are the errors of options that could not be expanded.
	Unset map[string]string `json:"-"`
}

// hashOf is the hash of a variable's value.
func hashOf(name, value string) string {
	sum := sha256.Sum256([]byte(name + "=" + value))
	return hex.EncodeToString(sum[:2])
}

// expansion expands the values of options.
type expansion struct {
	// lenient leaves a value with a variable that is not set as it is.
	lenient bool
	// values are those with variables, by node; see Environment.
	written map[*yaml.Node]string
	used    map[*yaml.Node]map[string]string
	unset   map[*yaml.Node]error
}

// node expands a scalar.
func (x *expansion) node(n *yaml.Node) error {
	text, used, err := expand(n.Value)
	if err != nil && (!x.lenient || !errors.Is(err, document.ErrUnset)) {
		return err
	}
	if x.written == nil {
		x.written, x.used, x.unset = make(map[*yaml.Node]string), make(map[*yaml.Node]map[string]string), make(map[*yaml.Node]error)
	}
	x.written[n], x.used[n], x.unset[n] = n.Value, used, err
	if err == nil {
		n.Value = text
	}
	return nil
}

// expand expands a text, and gives the hashes of the variables in it.
func expand(text string) (value string, used map[string]string, err error) {
	used = make(map[string]string)
	value, err = document.Expand(text, func(name string) string {
		v := os.Getenv(name)
		used[name] = hashOf(name, v)
		return v
	})
	return value, used, err
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
		var err error
		used := make(map[string]string)
		for _, n := range nodes {
			written = append(written, x.written[n])
			maps.Copy(used, x.used[n])
			err = cmp.Or(err, x.unset[n])
		}
		e.add(o.Name, written, used, err)
	}
	if e.Written == nil {
		return nil
	}
	e.Hashes = e.Now
	return e
}

// add adds the values of an option unless they have no variables.
func (e *Environment) add(option string, written []string, used map[string]string, err error) {
	if len(used) == 0 {
		return
	}
	if e.Written == nil {
		e.Written, e.Now = make(map[string][]string), make(map[string]string)
	}
	e.Written[option] = written
	maps.Copy(e.Now, used)
	if err != nil {
		if e.Unset == nil {
			e.Unset = make(map[string]string)
		}
		e.Unset[option] = err.Error()
	}
}

// environmentOptions are the options of a configuration whose values may have
// variables.
func environmentOptions() []option.Option {
	return slices.DeleteFunc(option.Of(reflect.TypeFor[Config]()), func(o option.Option) bool { return !o.Env })
}

// MarshalJSON writes values with variables as they were written.
func (c Config) MarshalJSON() ([]byte, error) {
	type plain Config // without this method
	if c.Environment != nil {
		for _, o := range environmentOptions() {
			if _, ok := c.Environment.Written[o.Name]; ok {
				reflect.ValueOf(&c).Elem().FieldByIndex(o.Field.Index).SetZero()
			}
		}
		c.Environment = &Environment{Written: c.Environment.Written, Hashes: c.Environment.Now}
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
	e := &Environment{Hashes: c.Environment.Hashes}
	for _, o := range environmentOptions() {
		written := c.Environment.Written[o.Name]
		if len(written) == 0 {
			continue
		}
		var values []string
		var unset error
		all := make(map[string]string)
		for _, text := range written {
			value, used, err := expand(text)
			switch {
			case errors.Is(err, document.ErrUnset):
				value, unset = text, cmp.Or(unset, err)
			case err != nil:
				return fmt.Errorf("%s: %w", o.Name, err)
			}
			values = append(values, value)
			maps.Copy(all, used)
		}
		field := reflect.ValueOf(c).Elem().FieldByIndex(o.Field.Index)
		if field.Kind() == reflect.Slice {
			field.Set(reflect.ValueOf(values))
		} else {
			field.SetString(values[0])
		}
		e.add(o.Name, written, all, unset)
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

// ChangedVariables names the variables whose values are not those that were
// recorded.
func (c *Config) ChangedVariables() []string {
	if c.Environment == nil {
		return nil
	}
	var list []string
	for name, recorded := range c.Environment.Hashes {
		if now, ok := c.Environment.Now[name]; ok && now != recorded {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Variables are the hashes of the variables that were expanded for all
// configurations.
func (c *Campaign) Variables() map[string]string {
	all := make(map[string]string)
	for i := range c.Configs {
		if e := c.Configs[i].Environment; e != nil {
			maps.Copy(all, e.Now)
		}
	}
	return all
}

// Recorded notes the hashes that Variables gave when the campaign was recorded.
func (c *Campaign) Recorded(variables map[string]string) {
	for i := range c.Configs {
		if e := c.Configs[i].Environment; e != nil {
			noted := *e
			noted.Hashes = variables
			c.Configs[i].Environment = &noted
		}
	}
}

// RecordValues makes records have the values of variables, not their names.
func (c *Campaign) RecordValues() {
	for i := range c.Configs {
		c.Configs[i].Environment = nil
	}
}

// recordedSLICC is SLICC as the record has it: names must not depend on whether
// a variable is set.
func (c *Config) recordedSLICC() string {
	if c.Environment != nil && len(c.Environment.Written["slicc"]) > 0 {
		return c.Environment.Written["slicc"][0]
	}
	return c.SLICC
}

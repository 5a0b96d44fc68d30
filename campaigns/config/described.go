package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/sim/osfile"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/description"
)

// Describe reads the description of the machine, nil if there is none. MachineFile becomes what the
// file says, so that a record needs no file.
func (m *Machine) Describe() (*description.System, error) {
	if m.MachineFile == "" {
		return nil, nil
	}
	if strings.HasPrefix(m.MachineFile, "{") {
		s := new(description.System)
		return s, json.Unmarshal([]byte(m.MachineFile), s)
	}
	f, err := osfile.OpenRegular(m.MachineFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := document.Bounded(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.MachineFile, err)
	}
	s, err := ReadMachine(m.MachineFile, text)
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(s)
	m.MachineFile = string(written)
	return s, err
}

// ReadMachine reads the description of a machine in YAML, or the config.json of a run of gem5.
func ReadMachine(name string, text []byte) (*description.System, error) {
	s := &description.System{File: name}
	var all yaml.Node
	if yaml.Unmarshal(text, &all) == nil && all.Kind == 0 {
		return s, nil
	}
	reader := document.Reader{Include: func(_, path string) (string, []byte, error) {
		return "", nil, fmt.Errorf("a description of a machine includes no files, as %s", path)
	}}
	doc, err := reader.Read(name, text)
	if err != nil {
		return nil, err
	}
	w := &walk{doc: doc, expansion: new(expansion)}
	if t := document.Child(doc.Root(), "type"); t != nil && t.Value == "Root" {
		s.Gem5 = true
		(&gem5Machine{walk: w, System: s, objects: map[string]object{}}).read()
		return s, errors.Join(w.faults...)
	}
	w.mapping(doc.Root(), reflect.TypeFor[description.System]())
	if err := errors.Join(w.faults...); err != nil {
		return nil, err
	}
	if err := doc.Root().Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	bounds := func(at string, options any) string {
		for _, f := range Rules.Check(options) {
			w.faults = append(w.faults, fmt.Errorf("%s: %s %s", at, f.Name, f.Message))
		}
		return at
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		m.At = bounds(doc.Place("machines", strconv.Itoa(i)), m)
		for k := range m.Instances {
			m.Instances[k].At = bounds(doc.Place("machines", strconv.Itoa(i), "instances", strconv.Itoa(k)), &m.Instances[k])
		}
	}
	for i := range s.Networks {
		s.Networks[i].At = bounds(doc.Place("networks", strconv.Itoa(i)), &s.Networks[i])
	}
	return s, errors.Join(w.faults...)
}

// object is an object of gem5's configuration.
type object struct{ *yaml.Node }

// text is a value of an object, empty if it has none.
func (o object) text(name string) string {
	if n := document.Child(o.Node, name); n != nil {
		return n.Value
	}
	return ""
}

// number is a value of an object that is a number, 0 if it has none.
func (o object) number(name string) int {
	n, _ := strconv.Atoi(o.text(name))
	return n
}

// isSequencer reports whether the object is the sequencer of a core.
func (o object) isSequencer() bool {
	return strings.HasSuffix(o.text("type"), "Sequencer") && o.text("type") != "DMASequencer"
}

// gem5Machine reads a configuration that gem5 wrote.
type gem5Machine struct {
	*walk
	*description.System
	objects                map[string]object // by path
	controllers, sequencer []object
}

// controllerClass ends the names of the classes of controllers.
const controllerClass = "_Controller"

// find finds the objects, which may be anywhere in the tree.
func (g *gem5Machine) find(n *yaml.Node) {
	if o := (object{n}); n.Kind == yaml.MappingNode {
		class := o.text("type")
		g.objects[o.text("path")] = o
		switch {
		case strings.HasSuffix(class, controllerClass):
			g.controllers = append(g.controllers, o)
		case o.isSequencer():
			g.sequencer = append(g.sequencer, o)
		case class == "RubySystem" && o.number("block_size_bytes") != 1<<cache.LineBits:
			g.fault(n, "block_size_bytes is %s: want %d", o.text("block_size_bytes"), 1<<cache.LineBits)
		}
	}
	for _, child := range n.Content {
		g.find(child)
	}
}

func (g *gem5Machine) read() {
	g.find(g.doc.Root())
	if len(g.controllers) == 0 {
		g.fault(g.doc.Root(), "no object of a class that ends in %s: the run of gem5 had no Ruby", controllerClass)
	}
	byVersion := func(a, b object) int { return a.number("version") - b.number("version") }
	slices.SortStableFunc(g.sequencer, byVersion)
	slices.SortStableFunc(g.controllers, byVersion)
	for _, c := range g.controllers {
		name := strings.TrimSuffix(c.text("type"), controllerClass)
		i := slices.IndexFunc(g.Machines, func(m description.Machine) bool { return m.Name == name })
		if i < 0 {
			i = len(g.Machines)
			g.Machines = append(g.Machines, description.Machine{Name: name, At: g.doc.PlaceOf(c.Node)})
		}
		m := &g.Machines[i]
		if c.number("version") != len(m.Instances) {
			g.fault(c.Node, "%s has version %s: want those from 0, each once", c.text("path"), c.text("version"))
		}
		m.Instances = append(m.Instances, g.controller(c))
	}
	g.moveRanges()
}

// controller reads a controller, whose parts are in it or elsewhere.
func (g *gem5Machine) controller(c object) description.Instance {
	one := description.Instance{At: g.doc.PlaceOf(c.Node), Cluster: c.number("cluster_id"), Cores: []int{}}
	for i := 0; i+1 < len(c.Content); i += 2 {
		name, value := c.Content[i].Value, c.Content[i+1]
		part, known := g.objects[value.Value]
		if value.Kind == yaml.MappingNode {
			part, known = object{value}, true
		}
		switch tag := value.ShortTag(); {
		case known && part.isSequencer():
			core := slices.IndexFunc(g.sequencer, func(o object) bool { return o.text("path") == part.text("path") })
			if !slices.Contains(one.Cores, core) {
				one.Cores = append(one.Cores, core)
			}
		case known && part.text("type") == "RubyCache":
			ways := max(part.number("assoc"), 1)
			one.Caches = append(one.Caches, fmt.Sprintf("%s=%dx%d", name, part.number("size")>>cache.LineBits/ways, ways))
		case name == "addr_ranges":
			for _, item := range value.Content {
				// All memory is the default, and means that no message is sent there by its address.
				if r, err := description.ParseRange(item.Value); err != nil || r.End>>63 == 0 {
					one.Ranges = append(one.Ranges, item.Value)
				}
			}
		case value.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!bool"):
			one.Parameters = append(one.Parameters, name+"="+value.Value)
		}
	}
	return one
}

// moveRanges has memory begin at address 0, as that of Arm does not in gem5.
func (g *gem5Machine) moveRanges() {
	least, mixed := ^uint64(0), uint64(0)
	each := func(f func(r description.Range) string) {
		for i := range g.Machines {
			for k := range g.Machines[i].Instances {
				for j, text := range g.Machines[i].Instances[k].Ranges {
					if r, err := description.ParseRange(text); err == nil {
						g.Machines[i].Instances[k].Ranges[j] = f(r)
					}
				}
			}
		}
	}
	each(func(r description.Range) string {
		least = min(least, r.Start)
		for _, mask := range r.Masks {
			mixed |= mask
		}
		return r.String()
	})
	if least > 0 && least&(1<<bits.Len64(mixed)-1) == 0 {
		each(func(r description.Range) string {
			r.Start, r.End = r.Start-least, r.End-least
			return r.String()
		})
	}
}

package ruby

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen/option"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/counters"
	"ordeal/sim/slicc/types"
)

// Parameter sets a parameter of a machine of the protocol.
type Parameter struct {
	// Role is the name of the machine or, of a machine that has several, of the
	// role; see Protocol.Roles.
	Role, Name string
	Value      int64 // truth values are 0 and 1
}

// ParseParameter reads "L1Cache.issue_latency=3" or "HNF.enable_DMT=false".
func ParseParameter(text string) (Parameter, error) {
	name, value, ok := strings.Cut(text, "=")
	role, name, dotted := strings.Cut(name, ".")
	if !ok || !dotted || role == "" || name == "" {
		return Parameter{}, option.Faultf("set-parameter", "%q: want MACHINE.parameter=value", text)
	}
	p := Parameter{Role: role, Name: name}
	switch value {
	case "true", "True":
		p.Value = 1
	case "false", "False":
	default:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return Parameter{}, option.Faultf("set-parameter", "%q: the value is no number and neither true nor false", text)
		}
		p.Value = n
	}
	return p, nil
}

// homeTransitions is the number of transitions that a controller of memory and
// of pairs of cores runs in one cycle; gem5's configurations bound those of
// other caches.
const homeTransitions = 32

// settings are all parameters of a role that are numbers or truth values: the
// protocol's defaults, then what the size of the system says, then what gem5's
// configurations say, then what the options say.
func (p *program) settings(o *Options, n instance) (preset.Values, error) {
	r := n.role
	var errs []error
	values := maps.Clone(code.DefaultParameters)
	values[preset.TBEs] = int64(o.TBEs)
	if r.Home || p.hasPairs() {
		values[preset.Transitions] = homeTransitions
	}
	maps.Copy(values, r.Set)
	var texts []*types.Var
	for _, v := range r.Code.Decl.Params {
		if code.ShapeOf(v.Type) != code.Word {
			continue
		}
		switch given, preset := r.Set[v.Name]; {
		case preset:
			values[v.Name] = given
		case v.Name == code.BankBits:
			values[v.Name] = int64(bits.TrailingZeros(uint(o.Banks)))
		case v.Name == "send_evictions" && v.Default.Kind == types.NoValue:
			values[v.Name] = int64(min(r.Cores, 1))
		case v.Name == tokens:
			values[v.Name] = int64(o.Cores) + 1
		case v.Default.Kind == types.TextValue:
			texts = append(texts, v)
		case v.Default.Kind != types.NoValue:
			values[v.Name] = code.AsNumber(v.Default).Int
		}
	}
	if o.Prefetch && (r.Cores > 0 || r.Second() && r.Code.Proxied()) {
		values[code.EnablePrefetch], values[code.UsePrefetcher] = 1, 1
	}
	given := o.Parameters
	if n.given != nil {
		given = slices.Concat(n.parameters, given)
	}
	for _, set := range given {
		if set.Role == r.Name {
			values[set.Name] = set.Value
		}
	}
	for _, v := range texts {
		if _, ok := values[v.Name]; ok {
			continue
		}
		n, err := constant.Evaluate(v.Default.Str, func(name string) (int64, bool) { n, ok := values[name]; return n, ok })
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: parameter %s of %s: value %q: %w", v.Pos, v.Name, r.Name, v.Default.Str, err))
		}
		values[v.Name] = n
	}
	for _, v := range r.Code.Decl.Params {
		if _, ok := values[v.Name]; !ok && code.ShapeOf(v.Type) == code.Word {
			errs = append(errs, option.Faultf("set-parameter", "%s: parameter %s of %s has no value: set %s.%[2]s",
				v.Pos, v.Name, r.Code.Decl.Name, r.Name))
		}
	}
	return values, errors.Join(errs...)
}

// numbers finds which numbers of the protocol a state has to have.
func (p *program) numbers(o *Options) *counters.Numbers {
	outside := func(t *types.Type) bool {
		l := p.Layouts[t]
		return l != nil && (l == p.Request.Layout || l == p.Memory.Layout || l == p.Device.Layout)
	}
	greatest := map[*types.Var]int64{}
	for _, n := range p.distinct(o) {
		values, err := p.settings(o, n)
		if err != nil {
			return nil // a parameter without a value
		}
		for _, v := range n.role.Code.Decl.Params {
			if n, ok := values[v.Name]; ok {
				if before, known := greatest[v]; !known || n > before {
					greatest[v] = n
				}
			}
		}
	}
	return counters.Analyze(p.Protocol, outside, func(v *types.Var) (int64, bool) { n, ok := greatest[v]; return n, ok })
}

// tokens is the parameter that says how many tokens of a line its owner passes
// on: one for each core and one more (configs/ruby/MOESI_CMP_token.py).
const tokens = "N_tokens"

// checkParameters reports parameters that no machine has, and values that a
// truth value does not have.
func (p *program) checkParameters(o *Options) error {
	var errs []error
	for _, set := range o.Parameters {
		errs = append(errs, p.checkParameter(set))
	}
	for _, n := range p.distinct(o) {
		_, err := p.settings(o, n)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// distinct lists the instances that are described, and one of each other role.
func (p *program) distinct(o *Options) []instance {
	var list []instance
	for _, r := range p.roles() {
		switch l := o.described(r); {
		case l == nil || len(l.list) == 0:
			list = append(list, instance{role: r})
		case l.preset:
			list = append(list, instance{r, l.list[0]})
		default:
			list = append(list, o.instances(r)...)
		}
	}
	return list
}

// checkParameter reports a parameter that no machine has, or not with such a value.
func (p *program) checkParameter(set Parameter) error {
	i := slices.IndexFunc(p.roles(), func(r *code.Role) bool { return r.Name == set.Role })
	if i < 0 {
		return option.Faultf("set-parameter", "protocol %s has no machine %s: want one of %s", p.Protocol.Name, set.Role, strings.Join(p.roleNames(), ", "))
	}
	r := p.roles()[i]
	switch v := parameterOf(r, set.Name); {
	case !hasParameter(r, set.Name):
		return option.Faultf("set-parameter", "%s has no parameter %s: want one of %s", set.Role, set.Name, strings.Join(parameterNames(r), ", "))
	case v != nil && v.Type.Kind == types.Bool && set.Value != 0 && set.Value != 1:
		return option.Faultf("set-parameter", "%s.%s is true or false, not %d", set.Role, set.Name, set.Value)
	case set.Value < 0:
		return option.Faultf("set-parameter", "%s.%s is %d: want at least 0", set.Role, set.Name, set.Value)
	}
	return nil
}

func hasParameter(r *code.Role, name string) bool { return slices.Contains(parameterNames(r), name) }

func parameterOf(r *code.Role, name string) *types.Var {
	for _, v := range r.Code.Decl.Params {
		if v.Name == name && code.ShapeOf(v.Type) == code.Word {
			return v
		}
	}
	return nil
}

func parameterNames(r *code.Role) []string {
	names := append(slices.Sorted(maps.Keys(code.DefaultParameters)), preset.TBEs)
	for _, v := range r.Code.Decl.Params {
		if code.ShapeOf(v.Type) == code.Word {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *program) roles() []*code.Role {
	var list []*code.Role
	for _, mc := range p.Codes {
		list = append(list, mc.Roles...)
	}
	return list
}

func (p *program) roleNames() []string {
	var names []string
	for _, r := range p.roles() {
		names = append(names, r.Name)
	}
	return names
}

// Roles lists the machines that the simulated system has or, for a machine that
// is instantiated as several things, those.
func (p *Protocol) Roles() []string { return p.program.roleNames() }

// configure sets the parameters and the names of a controller, and the objects
// that start with a value that depends on them.
func (s *System) configure(c *controller, number int, values preset.Values) {
	for _, v := range c.code.Decl.Params {
		if code.ShapeOf(v.Type) == code.Word {
			c.words[c.code.Place[v]] = uint64(values[v.Name])
		}
	}
	cluster := 0
	if c.given != nil {
		cluster = c.given.cluster
	}
	for _, set := range [...]struct {
		name  string
		value uint64
	}{{"machineID", c.id}, {"version", uint64(number)}, {"clusterID", uint64(cluster)}, {"recycle_latency", uint64(values["recycle_latency"])}} {
		if at, ok := c.code.Globals[set.name]; ok {
			c.words[at] = set.value
		}
	}
	for _, v := range c.code.Computed {
		n, err := constant.Evaluate(v.Default.Str, c.valueOf(values))
		if err != nil {
			panic(err) // the generator evaluated it
		}
		c.words[c.code.Place[v]] = uint64(n)
	}
}

// valueOf finds the value of a parameter or of an object of the machine.
func (c *controller) valueOf(values preset.Values) func(string) (int64, bool) {
	return func(name string) (int64, bool) {
		if n, ok := values[name]; ok {
			return n, true
		}
		for _, v := range c.code.Decl.Objects {
			if at, ok := c.code.Place[v]; ok && v.Name == name && code.ShapeOf(v.Type) == code.Word {
				return int64(c.words[at]), true
			}
		}
		return 0, false
	}
}

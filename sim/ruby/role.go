package ruby

import (
	"math/bits"
	"slices"
	"strings"

	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
)

// number is the number of instances of a role.
func (o *Options) number(r *code.Role) int {
	switch {
	case r.Private:
		each := max(r.Cores, 1)
		if r.Second() {
			each = max(o.Sharing, 1)
		}
		return (o.Cores + each - 1) / each
	case r.Home:
		return o.Directories
	case r.Device:
		each := max(o.Transfers, 1)
		return (o.Devices + each - 1) / each
	}
	return o.Banks
}

// instances lists the roles of the instances of a machine.
func (o *Options) instances(mc *code.Machine) []*code.Role {
	var list []*code.Role
	for _, r := range mc.Roles {
		list = append(list, slices.Repeat([]*code.Role{r}, o.number(r))...)
	}
	return list
}

// geometry is the size of a cache. A second level is larger than a first. The
// bits that choose a bank or a directory do not choose the set as well.
func (o *Options) geometry(r *code.Role, name string) cache.Geometry {
	switch {
	case r.Cores > 0 && !strings.HasPrefix(name, "L2"):
		return o.Private
	case r.Private:
		return o.Shared
	}
	g := o.Shared
	if n := o.number(r); n&(n-1) == 0 {
		g.IndexBit += bits.TrailingZeros(uint(n))
	}
	return g
}

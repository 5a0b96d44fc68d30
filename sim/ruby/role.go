package ruby

import (
	"math/bits"
	"strings"

	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
)

// number is the number of instances of a role.
func (o *Options) number(r *code.Role) int {
	switch l := o.described(r); {
	case l != nil && !l.preset:
		return len(l.list)
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

// instance is a controller before it is made, with what is described of it, nil for nothing.
type instance struct {
	role *code.Role
	*given
}

// instances lists the instances of a role.
func (o *Options) instances(r *code.Role) []instance {
	list := make([]instance, o.number(r))
	for i := range list {
		list[i].role = r
		if l := o.described(r); l != nil {
			list[i].given = l.list[min(i, len(l.list)-1)]
		}
	}
	return list
}

// geometry is the size of a cache. A second level is larger than a first. The
// bits that choose a bank or a directory do not choose the set as well.
func (o *Options) geometry(n instance, name string) cache.Geometry {
	r := n.role
	if n.given != nil && n.caches[name].Sets > 0 {
		return n.caches[name]
	}
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

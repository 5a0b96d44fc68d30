//go:build linux && !amd64

package sandbox

// toolFilter kills everything: no filter is made for this architecture.
func toolFilter() filter { return newFilter() }

package sandbox

// Protection is one thing that an isolation keeps tools from.
type Protection struct {
	Tool  string // what a tool has or cannot do
	Holds bool
	_     struct{}
}

// String is the sentence, negated where it does not hold.
func (p Protection) String() string {
	if p.Holds {
		return p.Tool
	}
	return "not so: " + p.Tool
}

// Protections lists what i keeps tools from, and what it does not.
func (i Isolation) Protections() []Protection {
	return []Protection{
		{Tool: "a tool has no capabilities", Holds: i.Filter},
		{Tool: "a tool cannot trace processes, make namespaces or change the system", Holds: i.Filter},
		{Tool: "a tool has no network", Holds: i.Filter || i.Has(NetworkNamespace)},
		{Tool: "a tool connects to no service of this machine", Holds: i.Filter},
		{Tool: "a tool sees no processes but its own", Holds: i.Has(PIDNamespace)},
		{Tool: "a tool sends no signals to processes but its own", Holds: i.Has(PIDNamespace) || i.Landlock >= 6},
		{Tool: "the memory of Ordeal cannot be read or written", Holds: i.Filter || i.Has(UserNamespace)},
		{Tool: "a tool writes nothing outside its directory, not even as root", Holds: i.Landlock > 0},
		{Tool: "a tool changes no modes, owners, times or attributes of files", Holds: i.Filter},
		{Tool: "no process outlives a run", Holds: i.Filter},
		{Tool: "the number of processes is bounded", Holds: true},
	}
}

package exploration

import "ordeal/campaigns/internal/messages"

// Size is that of a machine to explore.
type Size struct{ Cores, Lines, Devices int }

// Sizes are those of ever larger machines.
var Sizes = []Size{
	{Cores: 2, Lines: 1}, {Cores: 1, Lines: 2}, {Cores: 1, Lines: 1, Devices: 1}, {Cores: 1, Lines: 2, Devices: 1}, {Cores: 2, Lines: 1, Devices: 1},
	{Cores: 2, Lines: 2}, {Cores: 3, Lines: 1}, {Cores: 2, Lines: 2, Devices: 1}, {Cores: 1, Lines: 3}, {Cores: 3, Lines: 2}, {Cores: 4, Lines: 1},
}

// String is as "2 cores, 1 line, 1 device".
func (s Size) String() string {
	text := messages.Plural(s.Cores, "core") + ", " + messages.Plural(s.Lines, "line")
	if s.Devices > 0 {
		text += ", " + messages.Plural(s.Devices, "device")
	}
	return text
}

package memory

// Fault is a failed assertion of a memory system: it ended the run.
type Fault struct {
	// Title names the fault in one line without addresses and numbers that
	// vary from run to run, so that the same bug has one title.
	Title string
	// Detail says where and what, for people.
	Detail string
}

// Error is the title and the detail.
func (f *Fault) Error() string {
	if f.Detail == "" {
		return f.Title
	}
	return f.Title + ": " + f.Detail
}

package witness

import "fmt"

// ruleTexts is how edges of each rule are named in machine-readable output and
// explained; an empty reason names other
// operations, see explainer.reason.
var ruleTexts = [...]struct {
	name   string
	reason string
}{
	PPO:        {"ppo", "program order"},
	FenceOrder: {"fence", ""},
	Dependency: {"dependency", "dependency"},
	ReadsFrom:  {"reads-from", ""},
	OwnStore:   {"own-store", ""},
	Coherence:  {"coherence", "program order"},
	FromInit:   {"from-init", "initially"},
	FromRead:   {"from-read", ""},
	FinalWrite: {"final", ""},
	DerivedA:   {"A", ""},
	DerivedB:   {"B", ""},
	Assumed:    {"assumed", "assumed"},
	StoreOrder: {"store-order", "known order of stores"},
	RealTime:   {"real-time", ""},
	Pipeline:   {"pipeline", "dependency of what stands between"},
}

// String is the rule's name in machine-readable output.
func (r Rule) String() string {
	if r == RuleUnknown || int(r) >= len(ruleTexts) {
		return fmt.Sprintf("rule %d", uint8(r))
	}
	return ruleTexts[r].name
}

// RuleByName is the rule of a name in machine-readable output.
func RuleByName(name string) (Rule, bool) {
	for r := PPO; int(r) < len(ruleTexts); r++ {
		if ruleTexts[r].name == name {
			return r, true
		}
	}
	return RuleUnknown, false
}

package witness

import "fmt"

// String is the rule's name in machine-readable output.
func (r Rule) String() string {
	names := [...]string{
		PPO: "ppo", FenceOrder: "fence", Dependency: "dependency", ReadsFrom: "reads-from",
		OwnStore: "own-store", Coherence: "coherence", FromInit: "from-init", FromRead: "from-read",
		FinalWrite: "final", DerivedA: "A", DerivedB: "B", Assumed: "assumed", StoreOrder: "store-order",
	}
	if int(r) < len(names) && names[r] != "" {
		return names[r]
	}
	return fmt.Sprintf("rule %d", uint8(r))
}

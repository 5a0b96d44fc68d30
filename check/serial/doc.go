// Package serial decides conflict serializability under SC and TSO after Enea
// and Farzan, "On Atomicity in Presence of Non-atomic Writes", TACAS 2016.
//
// An execution (events.Sequence) is a sequence of events: reads, writes issued
// into store buffers, commits of writes, fences, each of one thread and one
// transaction. Two events conflict when swapping them could matter, and an
// execution is serializable when swaps of neighbours that do not conflict lead
// to one whose transactions are not interleaved: exactly when the conflicts
// between transactions, directed as they happened, have no cycle (Theorem 1).
//
// What conflicts depends on the relation. Under TSO (Sect. 4.1)
//
//   - events of different threads do when they access one variable and one of
//     them is a commit, except that a read of a buffered write does not
//     conflict with a commit of another thread between the issue and the
//     commit of that write;
//   - events of one thread do, except: a commit with reads and writes but its
//     own; a write with a later read of another variable; a buffered read with
//     a later read of another variable. A read is buffered when its thread
//     wrote the variable before and did not fence in between.
//
// The exceptions are directed: a read and a later write of its thread conflict
// whatever their variables. The paper says so by its "later" and in Sect. 6.2,
// where unordered events of a thread "appear in that order".
//
// Updates, atomic read-modify-writes, are an addition: each is a fence to its
// thread, and a commit that also reads to the others.
//
// Execution judges executions, in time linear in their length. Package trace
// judges traces, which lack the commits. SCEquivalent decides whether an
// execution is one of SC in disguise; package robust searches the executions
// of SC for the brink of one that is not. Every verdict carries evidence, and
// CheckOrder and CheckCycle, which share nothing with the monitors, check it.
//
// Where the paper is in error, a test has the counterexample:
//
//   - Theorem 2 (robust and serializable under SC implies serializable under
//     TSO) fails for the programs of Sect. 2, any prefix-closed sets of
//     sequences. It holds for programs that have all interleavings of their
//     threads (TestTheorem2NeedsInterleavings, TestTheorems2And3).
//   - Transaction-fenced programs as defined, every transaction of every
//     prefix ending with a fence, have no transaction of two events; see
//     Fenced. With that read as it is meant, Theorem 3 holds.
//   - Theorems 4 and 5 characterise the executions of a trace by acyclic
//     orientations of its event-graph. Contractions of executions lack the
//     edges of parallel pairs, and some acyclic orientations belong to no
//     execution, so that Theorem 5 rejects traces whose executions are all
//     serializable, though it misses no violation (package trace:
//     TestTheorem4, TestTheorem4Converse). Package trace keeps to the
//     definition of serializable traces instead.
package serial

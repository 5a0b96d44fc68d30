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
// whatever their variables (Sect. 6.2). Updates, atomic read-modify-writes, are
// an addition: each is a fence to its thread, and to the others a commit that
// also reads.
//
// Decide decides executions, in time linear in their length; package trace
// decides traces, which lack the commits, and package possible histories, which
// lack all order. SCEquivalent decides whether an
// execution is equivalent to one of SC; package robust searches an execution
// of SC for one of TSO that is not. Every verdict carries evidence, which
// CheckOrder and CheckCycle check without sharing code with the monitors.
//
// Where the paper is in error, a test has the counterexample:
//
//   - Theorem 2 (robust and serializable under SC implies serializable under
//     TSO) fails for the programs of Sect. 2, any prefix-closed sets of
//     sequences. It holds for programs that have all interleavings of their
//     threads (TestTheorem2NeedsInterleavings, TestTheorems2And3).
//   - Transaction-fenced programs as defined have no transaction of two
//     events; see Fenced. Read as it is meant, Theorem 3 holds.
//   - Theorem 5 rejects traces whose executions are all serializable, though
//     it misses no violation: some acyclic orientations of a trace's
//     event-graph belong to no execution (package trace: TestTheorem4,
//     TestTheorem4Converse). Package trace keeps to the definition of
//     serializable traces instead.
package serial

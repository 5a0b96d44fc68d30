// Package diagnose says why a run failed: its Failure, whether two are the same, where
// the protocol's text has it, and for a violation the cause: the witness joined with the
// trace of its run, as text and as a picture.
//
// The failure of a violation of a memory model is the same for the same bug and another
// for another bug, where both break one model on one system.
//
// The history is reduced to a minimal one first (check/minimal), which takes
// milliseconds. Its Shape, as "RR|WW" for message passing, is the failure where
// nothing else is known. On the embedded simulator the run is repeated with
// its transitions and accesses observed, and the failure names the place of
// the failure, which is often the faulty row of the protocol's table:
//
//   - "stale copy after L1Cache(S,Inv)": an access hits, and finds another value than
//     that of the last write that performed; while a writer asked for the line, that
//     transition left the copy as it was.
//   - "stale copy in L1Cache(S)": as before, without such a transition; or the read
//     performed before that write, too early, and its core has not lost the line
//     since.
//   - "value lost after Inv in L1Cache": an access misses, and is brought an older
//     value; the writer's controller gave up the line by that event before the line
//     was brought. Also where the final value is older.
//   - "old data brought to L1Cache": as before, but the writer still has the line.
//   - "overtaken data read in L1Cache(IS_I)": as before, but the write performed
//     while the line was on its way to the reader, whose state changed meanwhile.
//   - "load performed before an earlier load": what else is known without a coherence
//     protocol, or without the line being lost.
//   - "atomic operation torn apart by L1Cache(M,Fwd_GETX)": another write performs
//     between the two accesses of an operation, to whose core the line was taken by that
//     transition.
//   - "load not repeated after L1Cache(S,Inv)": all reads are up to date when they
//     perform, but a load performs before an earlier access of its thread and is
//     not repeated when its core loses the line by that transition. Only of cores
//     that repeat loads.
//
// The last two are about program order, the others about coherence and write
// atomicity (Adve and Gharachorloo, Shared Memory Consistency Models: A Tutorial,
// 1996, section 4).
package diagnose

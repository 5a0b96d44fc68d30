// Package journal keeps the results of a campaign in the order of their run
// numbers: it appends them, commits them in order, reads them back, repairs and
// rewrites the file. A finished run goes in as an Entry and comes out as a line
// of runs.jsonl.
//
// # Campaign directories
//
// A campaign writes into one directory, by default runs/NAME-TIME:
//
//	DIR/
//	  campaign.yaml      the resolved campaign in one file: includes and --set
//	                     applied, environment variables expanded
//	  campaign.json      Header: seed, command line, tool versions, start
//	  runs.jsonl         the journal: an Entry for each run, by number
//	  summary.txt        the table printed at the end
//	  summary.json       summary.Summary
//	  report.html        of ordeal campaign report
//	  000017/            run number 17: see package run
//	  quarantine/        what could not be used, with a reason
//	    000021/          a run that could not be executed or checked, or whose
//	                     files were corrupt; 000021-2 when it happens again
//	      reason.txt     why
//	    lines.txt        corrupt lines of the journal
//	  after-stop/        runs on hardware that failed after the run at which
//	                     the campaign had stopped
//
// With keep: findings the directory of a run that passed does not stay, except the
// first of each configuration with the same verdicts; of a canary only the first
// run that fails stays, and of a finding some: where a better example comes, its
// line says whose directory it replaces, and is on the disk before that directory
// is removed. The line of a run in runs.jsonl suffices to repeat it. On
// the embedded simulator, which leaves no files, a directory that does not stay is
// never made.
//
// # Order
//
// Runs end in any order, as many at a time as there are workers. They are
// recorded in the order of their numbers: a finished run waits, on disk if it has
// a directory, for those before it, and when a thousand wait no further ones
// start. Everything that could depend on the order of ending is decided when a
// run is recorded:
// which run stays as an example, which is the first of a finding and is
// reduced, which coverage is new, whether a stop condition is met, whether a
// canary is missed, whether too many infrastructure errors followed each other.
// A campaign of simulated machines therefore ends the same, in every file but
// for times and command lines, with any number of workers and after any number
// of interrupts, kills and resumptions. Exceptions:
//
//   - Hardware is not deterministic; neither are wall-clock limits.
//   - How far a reduction gets in its time.
//   - Where a budget ends a campaign. Batches that are ahead of other
//     configurations then count nevertheless, so that runs may be missing
//     between those that are recorded.
//   - After corrupt records or infrastructure errors, resumption appends the
//     repeated runs to the journal, out of order: coverage may be new in other
//     runs, and another run with the same verdicts may be the example.
//
// A stop condition is met by the runs up to a number. Runs of higher numbers
// that had ended by then do not count; those that failed on hardware, and may
// not fail again, are moved to after-stop.
//
// # Crashes
//
// Files are written under a temporary name and renamed; runs.jsonl grows by one
// write for each line. Killing the process at any moment loses at most the runs
// in flight, and those without a directory that wait: simulated ones, which a
// resumption repeats exactly. A failed run is on the disk, with all names that
// lead to its files, before its line is written, and its line before the finding
// is reported: a crash of the machine loses no finding. Other files are not
// flushed, since a flush for each run would cost more than the run.
//
// A line ends with a checksum (run.Seal), so that a changed digit is noticed.
// Where the files of a finding are corrupt, its line stays, and says so; where its
// line is, the line is written anew from the files if they have all of it.
//
// # Locks
//
// A process locks runs.jsonl before it changes anything else in the directory:
// of two that begin or resume one campaign, one does nothing.
package journal

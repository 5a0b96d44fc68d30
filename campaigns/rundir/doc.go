// Package rundir reads and writes the files of one run. A Spec says what to
// run, a Result what happened. It also has the durable writes that the other
// packages of campaigns use.
//
//	000017/              run number 17 of a campaign, or what --dir names
//	  program.txt        the program (gen.Program.Text)
//	  run.json           Spec: configuration, seed, command line, tool versions
//	  program.elf        the executable                  (simulator host)
//	  log.bin            what the program printed (sim.Log)
//	  stderr.txt         standard error of the program   (simulator host)
//	  result.json        Result: outcome, verdicts by model, hashes, times
//	  diagnosis.txt      what the simulator said about a crash or a deadlock
//	  certificate.json   the evidence of the verdicts: ordeal verify checks it
//	  witness-tso.txt    why TSO forbids the history
//	  result.pending.json  the journal's line of a run that waits for earlier ones
//	  reduced/           the reduced program that fails in the same way, a run
//	                     directory; reduced.part while the reduction runs
//	  reduction.json     Reduction
//	  repro/             runs of ordeal repro
//	  alone/             a failed run of a batch, repeated alone
//	  batch.elf          the executable of a batch
//	  batch/             the other runs of a batch that repro repeated
//	  se.py gem5-*.txt m5out/ coverage.txt
//	                     input and output of gem5        (simulator gem5)
//
// program.txt and run.json exist before the run starts. A run directory without
// result.json is a run that was interrupted. Files are written under a temporary
// name and renamed, so that a file that exists is whole.
package rundir

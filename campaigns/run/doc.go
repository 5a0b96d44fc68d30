// Package run executes one run and keeps its files: a Spec says what to run, the
// simulator runs the program, its log is parsed and the history checked, and a
// Result comes out. It also decides which recorded commands may be executed, and
// has the file layer of the other packages of campaigns.
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
package run

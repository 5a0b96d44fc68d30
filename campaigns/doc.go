// Package campaigns runs programs in numbers, judges what they did and keeps
// the records: Campaign, the run loop, run directories and the summary.
//
// # Run directories
//
// A campaign writes into one directory, by default runs/NAME-TIME:
//
//	DIR/
//	  campaign.yaml      the campaign as run, --set applied
//	  campaign.json      seed, command line, versions of tools, start
//	  runs.jsonl         one line for each run that ended, in order of ending
//	  summary.txt        the table printed at the end
//	  summary.json       the same for programs
//	  report.html        what ordeal campaign report made of it
//	  000017/            run number 17
//	    program.txt      the program (gen.Program.Text)
//	    run.json         Record: configuration, seed, number, command line,
//	                     versions of tools, hash of the program
//	    program.elf      what was executed      (simulator host)
//	    log.bin          the log as printed (sim.Log)
//	    stderr.txt       what else was printed  (simulator host)
//	    verdict.json     Judgement: outcome, answers by model, hashes, times
//	    witness-tso.txt  for people: why the history is forbidden by TSO
//	    repro/           what ordeal repro made
//	    alone/           a failed run of a batch, made again alone
//	    batch.elf        what was executed of a batch
//	    batch/           the other runs, where repro made a batch again
//	    se.py gem5-*.txt m5out/ coverage.txt
//	                     what gem5 was given and left (simulator gem5)
//
// program.txt and run.json exist before the run starts; the rest follows
// after it. A run directory without verdict.json is a run that was
// interrupted. With keep: findings the directory of a run that passed is
// removed, except the first of each configuration with the same answers;
// its line in runs.jsonl has what is needed to make the run again.
//
// # What survives what
//
// Files are written under a temporary name beside their place, then renamed,
// so that a file that exists is whole; runs.jsonl grows by one write of one
// line. Killing the process at any moment therefore loses at most the runs in
// flight. Files of findings, and the line of each finding, are also flushed
// to the disk (fsync) before the finding is reported, so that findings
// survive a power failure; other files are left to the kernel, because a
// flush per run would cost more than the run.
//
// # Seeds
//
// The program of run number n is drawn from rand.NewPCG(seed, n) according to
// the configuration that Schedule gives for n.
package campaigns

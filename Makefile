# make run and make test are all most people need.
GO ?= go
FUZZTIME ?= 20s
# A static program starts sooner, by a fifth, and is linked sooner: tests start a thousand.
export CGO_ENABLED = 0
# The same commit gives the same bytes wherever it lies.
BUILD = -trimpath -buildvcs=false -ldflags "-X ordeal/campaigns/run.commit=$(COMMIT)"
COMMIT := $(shell git describe --always --abbrev=12 --dirty=+changes 2>/dev/null)

# The packages whose tests do more with -soak. Those of the cores and protocols against the
# checker take two hours: go test ./check/internal/simtest -timeout=0 -soak
SOAKED = $(shell grep -rlE --include='*_test.go' '"soak"|check/internal/scale' check sim campaigns | \
	grep -vE 'simtest|campaigns/cli' | xargs -n1 dirname | sort -u | sed 's,^,./,')

.PHONY: install run test corpus lint cross mutation man race bench bench-compare bench-reduce record results mutants truth fuzz fmt build clean soak

build:
	@mkdir -p bin
	$(GO) build $(BUILD) -o bin/ordeal .

# Into $GOBIN, or the folder bin of $GOPATH. go install . does the same, linked
# with the C library if there is a C compiler.
install:
	$(GO) install $(BUILD) .

run: build
	bin/ordeal campaign run campaigns/quick.yaml

# Go ends a package after ten minutes, which one of a minute takes where twenty other
# processes want the same two cores.
LIMIT = -timeout=120m

# The files of tests are made in memory where there is room: they are many, most are
# synchronised to the disk, and ext4 searches long for an inode where others were freed
# just before. vet is among the steps of lint, and looks at tests, too. Without tables
# for debuggers a test is linked in two thirds of the time, and with a collector that runs
# seldom in half of what is left; tests themselves take a fifth less of it.
test: export GOGC = 400
test:
	GO=$(GO) .ci/lint tools
	@dir=$$(.ci/memory-dir); test -z "$$dir" || export TMPDIR="$$dir"; \
		set -x; $(GO) test -vet=off -ldflags=-w $(LIMIT) ./...

# That logs, coverage, explored states and names of mutants of a fixed corpus are what they
# were, of gem5's protocols where ORDEAL_GEM5_TREE names a tree; and the answers of all models
# on 20,000 histories, and on Axe's tests where ORDEAL_AXE_TESTS names them. A minute.
corpus:
	$(GO) test -count=1 -vet=off $(LIMIT) ./campaigns/run ./check/internal/suite -run='^TestCorpus$$' -corpus

# vet, staticcheck, errcheck, govulncheck, and the rules in campaigns/lint.
lint:
	GO=$(GO) .ci/lint

# What works everywhere compiles everywhere; darwin stands for other Unixes. Nothing is
# linked. Half of the time of a whole make test on a fresh machine, so not part of it.
cross:
	@status=0; for target in darwin/arm64 windows/amd64 linux/arm64; do \
		echo "cross: $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) list -export -deps . >/dev/null || status=1; \
	done; exit $$status

# Which changes of the code the tests notice: for days, in the background of a machine, and
# resumable, with the results in campaigns/lab/results/tests.md. make mutation BASE=COMMIT
# tries the lines that differ from a commit and prints what lives; PACKAGES are all that matter.
mutation:
	nice -n 19 $(GO) run ./scripts/mutation $(if $(BASE),-base $(BASE)) $(PACKAGES)
	@$(if $(BASE),,$(GO) run ./scripts/mutation -page campaigns/lab/results/tests.json)

# A man page for each command, in bin/man.
man:
	SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct 2>/dev/null || echo 0) $(GO) run ./campaigns/cli/man/ordeal-man bin/man/man1

race: export CGO_ENABLED = 1
race:
	$(GO) test $(LIMIT) -race -short ./...

bench:
	$(GO) test -run='^$$' -bench=. -benchmem ./...

# The same benchmarks of BASE, a commit, and of what is here, alternating, COUNT times each; benchstat says which
# differences are more than chance.
COUNT ?= 6
BENCH = $(GO) test -run='^$$' -bench=. -benchmem $(or $(PACKAGES),./...)
bench-compare:
	rm -rf runs/bench && mkdir -p runs/bench && git worktree prune && git worktree add --detach runs/bench/base $(BASE)
	for i in $$(seq $(COUNT)); do \
		(cd runs/bench/base && $(BENCH)) >> runs/bench/before.txt && $(BENCH) >> runs/bench/now.txt || exit 1; \
	done
	git worktree remove --force runs/bench/base
	$(GO) tool benchstat runs/bench/before.txt runs/bench/now.txt

# Every bug of the catalogue: how fast it is caught, and how small a program
# shows it.
bench-reduce: build
	bin/ordeal mutate bugs --seeds 3 --reduce

# One bug of the catalogue, caught and reduced: make repro-mi-swap-store.
repro-%: build
	bin/ordeal mutate bugs --seeds 3 --reduce $*

# The table of known bugs in the README.
record: build
	bin/ordeal mutate bugs --named --markdown

# The pages of campaigns/lab/results, from the data beside them.
results:
	$(GO) test ./campaigns/lab/results -update

# What pages are made of, measured anew in some minutes; make results writes them then, and
# campaigns/lab/results/data/sources.yaml has the version and the date. Mutants that no program
# kills are no error.
DATA = campaigns/lab/results/data
measure: mutants
	bin/ordeal bench papers --scale 0.01 -o runs/papers && cp runs/papers/papers.json $(DATA)
	bin/ordeal mutate bugs --named --markdown > $(DATA)/injected.txt
	$(GO) test -run '^$$' -bench Whole -benchtime 3x -cpu 1 ./check/internal/suite | sed '/^PASS\|^ok/d' > $(DATA)/speed.txt

# Which mutants of the four protocols are found.
mutants: build
	bin/ordeal mutate run --sample 150 --budget 20000 --dir runs/matrix || test $$? = 1
	gzip -9nc runs/matrix/matrix.json > $(DATA)/matrix.json.gz

# That audits find nothing in protocols that are believed correct: our own, two of textbooks, and those
# of the gem5 tree that ORDEAL_GEM5_TREE names with the repairs of their known defects.
TRUTH ?= 60s
truth:
	$(GO) test -count=1 -vet=off -v $(LIMIT) ./campaigns/lab/bugs -run='^TestTruth$$' -truth=$(TRUTH)

# Every fuzz target of every package, FUZZTIME each. An input that reaches new code
# is made smaller for two seconds, not for Go's minute in which nothing is tried.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=2s $$pkg; \
		done; \
	done

fmt:
	gofmt -w main.go gen sim parse check campaigns scripts

# Everything that make test takes a sample of, and what it leaves out: some hours.
# 4 threads × 1,000 operations × 1,000 rounds: 4 M operations are run, parsed
# and judged for TSO in less than 4 GiB; prints the peak. A campaign of 20,000
# runs is killed 200 times, and the memory of campaigns of up to 50,000 runs is
# printed. Then browsers, all crashes and links of a campaign, the checker on all small
# histories and with all mutants, and the whole catalogue of bugs.
soak: build
	$(GO) test -count=1 -v -timeout=120m ./campaigns/cli -soak
	$(GO) test -count=1 -timeout=240m $(SOAKED) -soak

clean:
	rm -rf bin runs

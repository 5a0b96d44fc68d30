# make run and make test are all most people need.
GO ?= go
FUZZTIME ?= 20s

.PHONY: run test lint race bench fuzz fmt build clean soak

build:
	@mkdir -p bin
	$(GO) build -o bin/ordeal .

run: build
	bin/ordeal campaign run campaigns/quick.yaml

test: lint
	$(GO) test ./...

lint:
	$(GO) vet ./...
	$(GO) test -count=1 ./campaigns/lint

race:
	$(GO) test -race -short ./...

bench:
	$(GO) test -run='^$$' -bench=. -benchmem ./...

# Every fuzz target of every package, FUZZTIME each.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) $$pkg; \
		done; \
	done

fmt:
	gofmt -w main.go gen sim parse check campaigns

# 4 threads × 1,000 operations × 1,000 rounds: 4 M operations are run, parsed
# and judged for TSO in less than 4 GiB; prints the peak. Then the checker on
# all small histories and with all mutants: half an hour or more.
soak: build
	$(GO) test -count=1 -v -run='^TestSoak$$' -timeout=30m ./campaigns/cli -soak
	$(GO) test -count=1 -timeout=60m ./check/internal/suite -soak

clean:
	rm -rf bin runs

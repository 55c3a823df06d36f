# `make demo` and `make test` are the two commands of the README; both install what they need and start it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# No debug information: it is an eighth of what compiling costs. `make build-tests LEAN=` is for a debugger.
export LEAN = -debug-info-format none

SWIFT_BUILD = swift build $(LEAN) --disable-automatic-resolution
ifeq ($(wildcard Package.resolved),)
SWIFT_BUILD = swift build $(LEAN)
endif

export CC = $(CURDIR)/scripts/cc

# If third-party fixtures exist beside the checkout, the tests use them and require them.
ifneq ($(wildcard ../shared/fixtures),)
export TENURE_FIXTURES ?= $(abspath ../shared/fixtures)
export TENURE_FIXTURES_REQUIRED ?= 1
endif

# `make test` installs PostgreSQL, so no test may be skipped because it is absent.
export TENURE_POSTGRES_REQUIRED ?= 1

# What `make test` does. CONTRIBUTING.md has a table of all phases.
TEST_PHASES = build-tests suites peers chaos-small client-build client

# What `make check` does: the same, and more. What is joined by + runs at the same time: peers, chaos-small and bench-slice wait for a third of
# their time, and the others there keep one core busy. What keeps both busy runs by itself: side by side suites and peers take as long, and are
# slowed down to see it.
CHECK_PHASES = lint build-tests suites release-build peers+fuzz-smoke chaos-small+bench-slice+client-build,client-published rules release client+demo,costs,docs

# The program that peers and chaos-small run against; make check names the optimised one, which takes much less of the processor.
PROGRAM ?= $(CURDIR)/.build/debug/tenure

# scripts/phases sets BUILT where earlier phases have built what a phase runs.
BUILD_FIRST = $(if $(BUILT),,build-tests)

.PHONY: help demo test build-tests suites release release-build chaos chaos-small client client-build client-published costs costs-write bench-slice check lint rules rules-full chaos-full fuzz-full api-full console-full client-full apple-full webhooks-full lives year optimised bench fuzz fuzz-smoke docs packages test-packages peers

help:
	@echo "make demo    play one subscription's life on SQLite against the local App Store, every answer checked"
	@echo "make test    all tests, with independent clients from PyPI as peers"
	@echo "make rules   each built rule: its tests, and that they kill its committed mutation"
	@echo "make rules-full, chaos-full, fuzz-full, api-full, console-full, client-full, apple-full, webhooks-full   the whole of what make check runs a slice of"
	@echo "make lives   the long test of the rules: LIVES (100000) random lives against an oracle written apart, from SEED (1)"
	@echo "make year    a simulated year of LIVES (10000) customers polled POLLS (100000) times, with lost notifications, outages and"
	@echo "             deaths: the ledger beside the oracle; from SEED (1), DAYS (365). make test has two weeks of 80 lives"
	@echo "make release the program as it is shipped, optimised: the demo and the peers of import, verify and backup against it"
	@echo "make chaos   real servers killed, cut off, starved and lied to under load; full size, from SEED (1), ONLY=F01,F04 for some"
	@echo "make client  the device SDK, a package of its own: warnings as errors, its tests, and the client on devices of the local App Store"
	@echo "make check   what CI runs: format, warnings as errors, tidy tests, tests, rules, demo, release, docs, fuzzing in short;"
	@echo "             ends with the seconds of each"
	@echo "make bench   release figures beside a floor measured in the same run"
	@echo "make fuzz    every fuzz target for SECONDS_EACH (600), findings in Fuzz/findings"
	@echo "make docs    the libraries' DocC pages into .build/docs, warnings as errors"

packages:
	@scripts/install-system-packages

test-packages:
	@scripts/install-system-packages test

demo: $(if $(BUILT),,demo-build)
	.build/debug/tenure demo

.PHONY: demo-build
demo-build: packages
	$(SWIFT_BUILD) --product tenure

test:
	scripts/phases $(TEST_PHASES)

build-tests: test-packages
	$(SWIFT_BUILD) --build-tests

suites: $(BUILD_FIRST)
	scripts/run-tests

peers: $(BUILD_FIRST) .venv/installed
	TENURE_BINARY=$(PROGRAM) scripts/peers

.venv/installed: Tests/Peers/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r Tests/Peers/requirements.txt
	touch $@

# An optimiser can break what works in a debug build: once it made `tenure import` trap. make check runs all peers against it.
release: $(if $(BUILT),,release-build) .venv/installed
	.build/release/tenure demo
	TENURE_BINARY=$(CURDIR)/.build/release/tenure scripts/peers large_receipt $(if $(BUILT),,books_run)

release-build: test-packages
	$(SWIFT_BUILD) -c release --product tenure
	$(SWIFT_BUILD) -c release --product tenure-costs

# The instructions of the hot paths and the pages that they write, against Benchmarks/costs.tsv; costs-write writes that table anew.
costs: $(if $(BUILT),,release-build)
	scripts/costs

costs-write: release-build
	scripts/costs --write

# Every benchmark at a small size, in the debug build: it must end, and the rows that it compares must be equal.
bench-slice: $(BUILD_FIRST) .venv/installed
	.build/debug/tenure-bench --slice

# Each fault at a tenth of its size; `make chaos` runs the full size, in release.
chaos-small: $(BUILD_FIRST)
	.build/debug/tenure-chaos --binary $(PROGRAM) --seed $(or $(SEED),1)

chaos: test-packages
	$(SWIFT_BUILD) -c release --product tenure
	$(SWIFT_BUILD) -c release --product tenure-chaos
	.build/release/tenure-chaos --full --binary .build/release/tenure --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY))

# The device SDK, which apps fetch by itself (docs/architecture.md). Its manifest may set no unsafe flags: apps could not depend on it.
# Client/Linux has the same sources and tests, and what stands in for Apple's StoreKit.
CLIENT_BUILD = $(LEAN) --package-path Client/Linux -Xswiftc -warnings-as-errors

client-build: test-packages
	swift build $(CLIENT_BUILD) --build-tests

client: $(if $(BUILT),,build-tests client-build) .venv/installed
	swift test $(CLIENT_BUILD) --skip-build
	TENURE_BINARY=$(PROGRAM) scripts/peers client_run client_kills client_answers

# Into a bare repository of its own, and an app against that; scripts/publish-client REPOSITORY VERSION does it for good.
client-published: packages
	scripts/publish-client --check

lint:
	swift format lint --strict --recursive --parallel --configuration .swift-format Package.swift Rules/Package.swift Fuzz/Package.swift Sources Tests Benchmarks Fuzz/Targets
	swift format lint --strict --recursive --parallel --configuration .swift-format Client/Package.swift Client/Sources Client/Tests \
		Client/Example Client/Linux/Package.swift Client/Linux/Sources Client/Linux/Tests

# A killed mutation is tested again only when something that decides it has changed (Tests/killed-mutations.txt); all of them:
# rules-full.
rules: test-packages
	scripts/rules.py

rules-full: test-packages
	scripts/rules.py --full

# The generators of clients need a Java runtime and a TypeScript compiler, which nothing else does.
api-full: build-tests .venv/installed
	@scripts/install-system-packages api
	.venv/bin/pip install --quiet --disable-pip-version-check openapi-generator-cli==7.26.0
	$(SWIFT_BUILD) --product tenure
	$(SWIFT_BUILD) -c release --product tenure
	scripts/api-full

# SUBSCRIPTIONS=20000 times the pages among fewer.
console-full: build-tests .venv/installed
	$(SWIFT_BUILD) --product tenure
	$(SWIFT_BUILD) -c release --product tenure
	scripts/console-full

# With the thread sanitizer in a folder of its own.
client-full: test-packages .venv/installed
	$(SWIFT_BUILD) --product tenure
	swift build $(CLIENT_BUILD) --build-tests
	swift build $(CLIENT_BUILD) -c release --product tenure-device-bench
	swift build $(LEAN) --package-path Client/Linux --sanitize=thread --scratch-path .build-client/thread --build-tests
	scripts/client-full

apple-full: optimised .venv/installed
	scripts/apple-full $(OPTIMISED)/release

# SHARE=0.1 runs a tenth of what is run from outside.
webhooks-full: optimised .venv/installed
	scripts/webhooks-full $(OPTIMISED)/release

# The whole of what `make check` runs a fixed slice of.
chaos-full: chaos

fuzz-full: fuzz

lives: test-packages
	scripts/lives

# The tests and the program, optimised: in a debug build a thousand lives of `make year` take longer than ten thousand here. The
# build folder is its own, since what is shipped is not built so that it can be tested.
OPTIMISED = .build/optimised

optimised: test-packages
	$(SWIFT_BUILD) -c release --build-tests -Xswiftc -enable-testing --scratch-path $(OPTIMISED)

year: optimised
	TENURE_YEAR_LIVES=$(or $(LIVES),10000) TENURE_YEAR_DAYS=$(or $(DAYS),365) TENURE_YEAR_POLLS=$(or $(POLLS),100000) \
		TENURE_YEAR_SEED=$(or $(SEED),1) $(OPTIMISED)/release/tenurePackageTests.xctest --testing-library swift-testing \
		--filter 'a year with lost notifications'

fuzz: packages
	scripts/fuzz $(or $(SECONDS_EACH),600) $(TARGETS)

# A fixed number of runs of each target from a fixed seed.
fuzz-smoke: packages
	scripts/fuzz smoke

docs: $(if $(BUILT),,build-tests client-build)
	scripts/docs

check:
	PROGRAM=$(CURDIR)/.build/release/tenure scripts/phases $(CHECK_PHASES)

bench: test-packages .venv/installed
	$(SWIFT_BUILD) -c release --product tenure
	$(SWIFT_BUILD) -c release --product tenure-bench
	.build/release/tenure-bench


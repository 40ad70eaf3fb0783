# Everything a person does with this repository. `make` alone lists it.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
ENV := . scripts/env.sh;
SAY := printf '\033[1m==> %s\033[0m\n'

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

setup: ## bring this machine to a working build (again: only what is missing)
	@scripts/setup.sh build

# Built again only when something that goes into them changed: a fresh dist would have the server linked anew.
PAGES := $(shell find src style public domain/src .cargo scripts -type f -not -path 'public/vendor/*') \
	index.html Trunk.toml Cargo.toml Cargo.lock domain/Cargo.toml build.rs package-lock.json

dist/index.html: $(PAGES) | setup
	@$(ENV) $(SAY) "building the pages (WebAssembly; the first time takes some minutes)"
	trunk build
	touch dist/index.html

build: dist/index.html ## build target/release/debrief, with the pages inside
	@$(ENV) $(SAY) "building the server (the first time takes some minutes)"
	cargo build --release --locked -p debrief-server
	$(SAY) "built target/release/debrief"

run: build ## build, load the worked example on first use, serve it at http://127.0.0.1:8080
	@$(SAY) "serving http://127.0.0.1:8080 (Ctrl-C ends it; the data is in $${DEBRIEF_DATA:-./data})"
	exec target/release/debrief serve --listen 127.0.0.1:8080 --demo

dev: setup ## serve with live reload at http://127.0.0.1:8081, against a server of this build at 8080
	@$(ENV) $(SAY) "building the server"
	cargo build -p debrief-server
	target/debug/debrief serve --listen 127.0.0.1:8080 --url http://127.0.0.1:8081 --demo & server=$$!
	trap 'kill $$server' EXIT
	trunk serve --dist target/dev-dist --release=false --cargo-profile dev --address 127.0.0.1 --port 8081 --proxy-backend http://127.0.0.1:8080/api --open=false

test: ## run every test: rules, API, both databases, the real browser
	@scripts/setup.sh test
	$(ENV) $(SAY) "Rust tests: domain, importers, store on SQLite and PostgreSQL, API, pages' logic"
	cargo test --locked --workspace
	$(MAKE) build
	$(SAY) "browser tests: the real binary in Chromium"
	npx playwright test --config tests/playwright.config.ts

soak: ## run the property tests for long (PROPTEST_CASES, default 20000)
	@scripts/setup.sh test
	$(ENV) $(SAY) "property tests, $${PROPTEST_CASES:-20000} cases each"
	PROPTEST_CASES=$${PROPTEST_CASES:-20000} cargo test --locked --release --workspace

lint: ## formatting, clippy for server and browser, types of the browser tests
	@scripts/setup.sh build
	$(ENV) $(SAY) "formatting"
	cargo fmt --all --check
	$(SAY) "clippy, native"
	cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
	$(SAY) "clippy, WebAssembly"
	cargo clippy --locked -p debrief-app --target wasm32-unknown-unknown --quiet -- -D warnings
	$(SAY) "types of the browser tests"
	npx tsc --noEmit -p tests/tsconfig.json

bench: ## measure against nginx and DuckDB: page weight, time to the facts, requests a second, a million points, ten million attempts
	@scripts/setup.sh bench
	$(MAKE) build
	$(ENV) node bench/run.mjs
	node bench/tracker.mjs
	node bench/chart.mjs
	cargo build --release --locked -p debrief-server --example attempts
	node bench/events.mjs

clean: ## remove what was built (the data stays)
	@rm -rf target dist test-results

.PHONY: help setup build run dev test soak lint bench clean

#!/usr/bin/env bash
# Brings a bare Debian or Ubuntu machine to a working build, and says what it does.
#
#   scripts/setup.sh          what a build needs: Rust with the WebAssembly target, Trunk, wasm-bindgen, Node modules
#   scripts/setup.sh test     the same, and what the tests need: Chromium, PostgreSQL, Prometheus, a server of buckets
#   scripts/setup.sh bench    the same, and what the benchmarks need: nginx, wrk, DuckDB
#
# It may be run again at any time: what is there is left alone. Two roads lead to the WebAssembly target,
# and it takes whichever is open: rustup's download, or Debian's packages with the standard library built
# from Debian's own source.
set -euo pipefail
cd "$(dirname "$0")/.."
want=${1:-build}
started=$SECONDS
. scripts/env.sh

say() { printf '\033[1m[set-up %4ds]\033[0m %s\n' $((SECONDS - started)) "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
fail() { printf 'set-up: %s\n' "$*" >&2; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else fail "'$*' needs root; run it yourself, then run this again"; fi; }
log=$(mktemp); trap 'rm -f "$log"' EXIT
# Runs a long step quietly; shows its output only when it fails.
quietly() { "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "'$*' failed (its last lines are above)"; }; }

apt_fresh=
apt_need() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  have apt-get || fail "please install: ${missing[*]}"
  say "installing packages: ${missing[*]}"
  [ -n "$apt_fresh" ] || quietly as_root apt-get update
  apt_fresh=1
  DEBIAN_FRONTEND=noninteractive quietly as_root apt-get install -y --no-install-recommends "${missing[@]}"
}

packages=(ca-certificates git make gcc libc6-dev)
have node || packages+=(nodejs)
have npm || packages+=(npm)
case $want in test | bench) packages+=(chromium fonts-dejavu-core postgresql curl python3-venv) ;; esac
# Anybody's Prometheus will do, if its tool is beside it; Debian's brings both.
case $want in test | bench) have prometheus && have promtool || packages+=(prometheus) ;; esac
case $want in bench) packages+=(nginx-light wrk) ;; esac
apt_need "${packages[@]}"

# The WebAssembly target.
if [ -z "$DEBRIEF_RUST" ]; then
  if have rustup && RUSTUP_MAX_RETRIES=0 rustup target add wasm32-unknown-unknown >"$log" 2>&1; then
    say "Rust: rustup added the WebAssembly target"
    rustup component add clippy rustfmt >"$log" 2>&1 || say "Rust: clippy and rustfmt could not be added; 'make lint' will need them"
  else
    say "Rust: rustup cannot provide the WebAssembly target here; taking Debian's packages"
    lld=$(apt-cache depends rust-web-llvm rustc-web 2>/dev/null | grep -oE '\blld-[0-9]+' | head -n 1 || true)
    apt_need rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy rustfmt-web "${lld:-lld-22}"
    if ! ls /usr/lib/rustlib/wasm32-unknown-unknown/lib/libstd-*.rlib >/dev/null 2>&1; then
      say "Rust: building its standard library for WebAssembly (half a minute)"
      std=$(mktemp -d)
      quietly env PATH="/usr/bin:$PATH" /usr/bin/cargo new --quiet --lib --vcs none --name wasm-std "$std/wasm-std"
      (cd "$std/wasm-std" && quietly env PATH="/usr/bin:$PATH" RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
        CARGO_TARGET_DIR="$std/target" /usr/bin/cargo build --release --target wasm32-unknown-unknown \
        -Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro)
      rm -f "$std"/target/wasm32-unknown-unknown/release/deps/libwasm_std-*.rlib
      as_root install -D -t /usr/lib/rustlib/wasm32-unknown-unknown/lib "$std"/target/wasm32-unknown-unknown/release/deps/*.rlib
      rm -rf "$std"
    fi
  fi
  . scripts/env.sh
  [ -n "$DEBRIEF_RUST" ] || fail "no Rust toolchain here can compile for WebAssembly; with rustup try: rustup target add wasm32-unknown-unknown"
fi

# Build tools of one exact version each, in a folder of their own, so that nobody's installed versions are touched.
cargo_tool() { # crate, version, program, what it takes, further arguments
  local crate=$1 version=$2 program=$3 long=$4; shift 4
  [ -x "$DEBRIEF_TOOLS/$crate-$version/bin/$program" ] && return 0
  say "building $program $version ($long)"
  quietly env CARGO_TARGET_DIR="$DEBRIEF_TOOLS/target" cargo install "$crate" --version "$version" --root "$DEBRIEF_TOOLS/$crate-$version" "$@"
  rm -rf "$DEBRIEF_TOOLS/target"
}
cargo_tool wasm-bindgen-cli "$WASM_BINDGEN_VERSION" wasm-bindgen "about two minutes"
cargo_tool trunk "$TRUNK_VERSION" trunk "about five minutes" --locked

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing Node modules: ECharts, esbuild, wasm-opt, Playwright, axe"
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 quietly npm ci --no-audit --no-fund
  touch node_modules/.package-lock.json
fi
# Debian 12 brings Node 18, which builds the pages and does not run Playwright.
case $want in
test | bench)
  if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    say "installing Node $NODE_VERSION beside the machine's $(node --version), for the browser tests"
    quietly npm install --no-audit --no-fund --prefix "$DEBRIEF_TOOLS/node-$NODE_VERSION" "node@$NODE_VERSION"
  fi
  ;;
esac
# Python programs of one exact version each, in a folder of their own too.
python_tool() { # package, version, what it is
  "$DEBRIEF_TOOLS/python/bin/pip" show "${1%%[*}" 2>/dev/null | grep -qx "Version: $2" && return 0
  say "installing $3"
  [ -x "$DEBRIEF_TOOLS/python/bin/pip" ] || quietly python3 -m venv "$DEBRIEF_TOOLS/python"
  quietly "$DEBRIEF_TOOLS/python/bin/pip" install --quiet "$1==$2"
}
case $want in test | bench) python_tool 'moto[server]' "$MOTO_VERSION" "moto, a server of buckets" ;; esac
case $want in
test | bench) have prometheus && have promtool || fail "Prometheus is not there, and the tests ask a real one; install prometheus and promtool, then run this again" ;;
esac
case $want in bench) python_tool duckdb "$DUCKDB_VERSION" "DuckDB" ;; esac
say "ready ($want)"

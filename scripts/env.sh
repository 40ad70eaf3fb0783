# The build's environment: which toolchain and which versions. Sourced by the Makefile's recipes and the scripts.
# DEBRIEF_RUST is "rustup" or "debian" once a toolchain with the WebAssembly target is there, else empty.
TRUNK_VERSION=0.21.14
WASM_BINDGEN_VERSION=0.2.130 # equals wasm-bindgen in Cargo.toml
MOTO_VERSION=5.2.5
NODE_VERSION=22.21.1 # where the machine's own is older than the browser tests take
DUCKDB_VERSION=2.0.1
DEBRIEF_TOOLS=${DEBRIEF_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/debrief-tools}
DEBRIEF_RUST=
sysroot=$(rustc --print sysroot 2>/dev/null || true)
if [ -n "$sysroot" ] && [ "$sysroot" != /usr ] && ls "$sysroot"/lib/rustlib/wasm32-unknown-unknown/lib/libstd-*.rlib >/dev/null 2>&1; then
  DEBRIEF_RUST=rustup
elif [ -x /usr/bin/rustc ] && ls /usr/lib/rustlib/wasm32-unknown-unknown/lib/libstd-*.rlib >/dev/null 2>&1; then
  DEBRIEF_RUST=debian
  case ":$PATH:" in :/usr/bin:*) ;; *) PATH=/usr/bin:$PATH ;; esac
fi
unset sysroot
case ":$PATH:" in *":$DEBRIEF_TOOLS/"*) ;; *) PATH=$DEBRIEF_TOOLS/trunk-$TRUNK_VERSION/bin:$DEBRIEF_TOOLS/wasm-bindgen-cli-$WASM_BINDGEN_VERSION/bin:$PATH ;; esac
[ ! -x "$DEBRIEF_TOOLS/node-$NODE_VERSION/node_modules/.bin/node" ] || PATH=$DEBRIEF_TOOLS/node-$NODE_VERSION/node_modules/.bin:$PATH
case ":$PATH:" in *":$PWD/node_modules/.bin:"*) ;; *) PATH=$PWD/node_modules/.bin:$PATH ;; esac
export PATH DEBRIEF_RUST DEBRIEF_TOOLS TRUNK_SKIP_VERSION_CHECK=true NO_COLOR=true PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
# No path of this machine in the pages. Cargo parts flags at blanks, so a path with one stays.
crates=${CARGO_HOME:-$HOME/.cargo}/registry/src
case "$crates" in *' '*) ;; *) export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--remap-path-prefix=$crates=crates" ;; esac
unset crates

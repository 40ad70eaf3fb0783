#!/bin/sh
# Makes target/style.css of the stylesheets that style/index.css lists; written only when it differs, since Trunk watches.
set -eu
cd "$(dirname "$0")/.."
mkdir -p target
node_modules/.bin/esbuild style/index.css --bundle --minify --log-level=warning --outfile=target/style.css.new
if cmp -s target/style.css.new target/style.css; then rm target/style.css.new; else mv target/style.css.new target/style.css; fi

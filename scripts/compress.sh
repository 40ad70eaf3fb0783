#!/bin/sh
# Minifies the scripts of the built front end, and leaves a .br and a .gz beside each text file. A development build
# goes without. Trunk's own minifier is off: it has dropped code that was needed.
set -eu
[ "${TRUNK_PROFILE:-release}" = release ] || exit 0
esbuild=$PWD/node_modules/.bin/esbuild
cd "$TRUNK_STAGING_DIR"
for script in ./*.js; do
  "$esbuild" "$script" --minify --format=esm --target=es2022 --log-level=warning --allow-overwrite --outfile="$script"
done
find . -type f \( -name '*.wasm' -o -name '*.js' -o -name '*.css' -o -name '*.html' -o -name '*.svg' \) -exec sh -c '
  for file do gzip -9nkf "$file"; brotli -q 11 -fk "$file"; done' _ {} +

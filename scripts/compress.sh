#!/bin/sh
# Finishes the built front end, and leaves a .br and a .gz beside each text file. A development build goes without.
set -eu
[ "${TRUNK_PROFILE:-release}" = release ] || exit 0
node scripts/finish.mjs "$TRUNK_STAGING_DIR"
cd "$TRUNK_STAGING_DIR"
find . -type f \( -name '*.wasm' -o -name '*.js' -o -name '*.css' -o -name '*.html' -o -name '*.svg' \) -exec sh -c '
  for file do gzip -9nkf "$file"; brotli -q 11 -fk "$file"; done' _ {} +

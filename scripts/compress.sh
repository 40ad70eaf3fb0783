#!/bin/sh
# Finishes the built front end, and leaves a .br and a .gz beside each text file. A development build goes without.
set -eu
[ "${TRUNK_PROFILE:-release}" = release ] || exit 0
node scripts/finish.mjs "$TRUNK_STAGING_DIR"
node scripts/compress.mjs "$TRUNK_STAGING_DIR"

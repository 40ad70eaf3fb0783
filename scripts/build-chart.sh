#!/bin/sh
# Bundles the chart library into public/vendor, under a name that holds a hash of its content, and tells the
# front end that name in target/chart-bundle.txt. Does nothing where the bundle is there already.
set -eu
cd "$(dirname "$0")/.."
stamp=$(cat scripts/echarts.js scripts/build-chart.sh package-lock.json | sha256sum | cut -c1-16)
mkdir -p target public/vendor
[ "$(cat public/vendor/.stamp 2>/dev/null)" = "$stamp" ] && [ -s target/chart-bundle.txt ] && exit 0
echo "bundling the chart library"
rm -rf public/vendor && mkdir -p public/vendor
NODE_PATH=node_modules node_modules/.bin/esbuild scripts/echarts.js --bundle --minify --format=iife --global-name=echarts --target=es2020 \
  --legal-comments=none --log-level=warning --outfile=public/vendor/echarts.js
hash=$(sha256sum public/vendor/echarts.js | cut -c1-16)
mv public/vendor/echarts.js "public/vendor/echarts-$hash.js"
cp node_modules/echarts/LICENSE public/vendor/echarts-LICENSE.txt
cp node_modules/echarts/NOTICE public/vendor/echarts-NOTICE.txt
cp node_modules/echarts/licenses/LICENSE-d3 public/vendor/echarts-LICENSE-d3.txt
cp node_modules/zrender/LICENSE public/vendor/zrender-LICENSE.txt
printf '/vendor/echarts-%s.js' "$hash" > target/chart-bundle.txt
printf %s "$stamp" > public/vendor/.stamp

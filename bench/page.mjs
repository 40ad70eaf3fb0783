// One load of a page in Chromium: when its facts and its chart were on screen, and what came over the wire.

/** Runs in the page: notes the first frame after the facts, and after the chart, stand in the document. */
function watch({ facts, chart }) {
  const times = {};
  window.benchTimes = times;
  // Time is taken in a task after the frame that shows what was found.
  const note = name => setTimeout(() => (times[name] ??= performance.now()), 0);
  const look = () => {
    if (!times.facts && document.querySelector('dl')?.textContent.includes(facts)) note('facts');
    if (chart && !times.chart && document.querySelector(chart)) note('chart');
    if (!times.facts || (chart && !times.chart)) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function kindOf(path, type) {
  if (path.startsWith('/api/')) return 'API';
  if (path.startsWith('/vendor/')) return 'chart';
  if (type.includes('html')) return 'HTML';
  if (type.includes('css')) return 'CSS';
  if (type.includes('wasm')) return 'WebAssembly';
  if (type.includes('javascript')) return 'JS';
  return 'other';
}

/** Loads the page until its facts, and its chart where there is one, are on screen. */
export async function loadPage(page, url, facts, chart) {
  await page.addInitScript(watch, { facts, chart });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const files = new Map();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname, protocol } = new URL(response.url);
    if (!protocol.startsWith('http')) return;
    files.set(requestId, { path: pathname, kind: kindOf(pathname, response.mimeType), bytes: 0, headers: response.encodedDataLength });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId);
    if (file) file.bytes = Math.max(0, encodedDataLength - file.headers);
  });
  await page.goto(url);
  await page.waitForFunction(chart => window.benchTimes.facts && (!chart || window.benchTimes.chart), chart, { timeout: 30_000 });
  const times = await page.evaluate(() => window.benchTimes);
  await page.waitForLoadState('networkidle');
  await page.close();
  return { times, files: [...files.values()].map(({ headers: _, ...file }) => file) };
}

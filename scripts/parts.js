// Appended to the script that wasm-bindgen wrote; PARTS is the name of each part's file, NEEDS the parts that it takes from.
const parts = {};

async function loadedPart(name) {
  const answer = fetch(new URL(PARTS[name], import.meta.url));
  // What a failure of the other leaves behind is nobody's to hear.
  answer.catch(() => {});
  const needed = {};
  await Promise.all(NEEDS[name].map(async other => (needed[other] = await loadPart(other))));
  const response = await answer;
  if (!response.ok) throw response.status;
  const { instance } = await WebAssembly.instantiateStreaming(response, { ...__wbg_get_imports(), first: wasm, ...needed });
  return instance.exports;
}

function loadPart(name) {
  return (parts[name] ??= loadedPart(name).catch(why => {
    delete parts[name];
    throw why;
  }));
}

globalThis.loadPart = loadPart;

// Appended to the script that wasm-bindgen wrote; PARTS is the name of each part's file, ALONE are those that take nothing
// of the part `shared`.
const parts = {};

async function loadedPart(name) {
  const answer = fetch(new URL(PARTS[name], import.meta.url));
  // What a failure of the other leaves behind is nobody's to hear.
  answer.catch(() => {});
  const shared = ALONE.includes(name) ? undefined : await loadPart('shared');
  const response = await answer;
  if (!response.ok) throw response.status;
  const { instance } = await WebAssembly.instantiateStreaming(response, { ...__wbg_get_imports(), first: wasm, shared });
  return instance.exports;
}

function loadPart(name) {
  return (parts[name] ??= loadedPart(name).catch(why => {
    delete parts[name];
    throw why;
  }));
}

globalThis.loadPart = loadPart;

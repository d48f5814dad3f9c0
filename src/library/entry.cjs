// dist/index.cjs, the library for importers: dist/library.cjs, loaded with the code that V8 kept of an earlier run.
const { join } = require("node:path");
const { runInThisContext } = require("node:vm");

/** Not where a runner has made another realm for its tests: instances of its classes must come from the library. */
const isMainRealm = runInThisContext("globalThis") === globalThis;

module.exports = (isMainRealm && withCachedCode()) || require("./library.cjs");

/** Nothing where the library is not in files, as when somebody has bundled it. */
function withCachedCode() {
  let cache;
  try {
    cache = require("../bin/code-cache.cjs");
    const library = cache.load(join(__dirname, "library.cjs"));
    return cache.hasCompiled() ? keepingFrom(library, cache.keepCode) : library;
  } catch (reason) {
    if (reason?.code === "ENOENT" || reason?.code === "MODULE_NOT_FOUND") return undefined;
    throw reason;
  }
}

/** Only what has started a sandbox has compiled what is worth keeping. */
function keepingFrom(library, keepCode) {
  const startSandbox = (options) => {
    keepCode({ atEnd: true });
    return library.startSandbox(options);
  };
  return { ...library, startSandbox };
}

// What few runs need is loaded when it is first used: parts of the program from files of their own beside the entry files, each built
// once, and modules of Node that bring much with them.
import { createRequire } from "node:module";

/** Each becomes a file beside the entry files: [import specifier, source]. */
const LAZY = [
  [/^@faker-js\/faker/],
  [/make-certificate\.ts$/],
  [/^@stoplight\/prism-http\/dist\/validator/],
  [/^ajv\/dist\/2020/],
  [/lint\/index\.ts$/],
  [/^(re2js|yaml|csv-parse\/sync)$/, /[\\/]src[\\/]/],
  [/^\.\.\/encodings$/, /iconv-lite/],
  [/generated\/(control|fixture|world)-validators\.js$/],
  [/(^\.|\/mcp)\/index\.ts$/, /[\\/]src[\\/](mcp[\\/]sessions|cli[\\/]commands[\\/]mcp)\.ts$/],
];

/** Imported at the top of a file, which must not load them yet, and then used by name. */
const NAMED = /^(re2js|yaml|csv-parse\/sync|node:(fs\/promises|https|tls))$/;
/** Writes into what it imports, so it needs the module itself. */
const CHANGES = /[\\/]src[\\/]library[\\/]redirect[\\/]/;
/** Imported as a whole there. */
const WHOLE = /generated\//;

const inPackages = createRequire(import.meta.url);

/** "@faker-js/faker/locale/en" → "faker-locale-en.cjs", "src/mcp/index.ts" → "mcp.cjs" */
const chunkName = (path) => {
  const inside = path.replaceAll("\\", "/").replace(/^.*\/(node_modules|generated|src\/engine|src)\/(@[\w-]+\/)?/, "");
  return `${inside.replace(/(\/dist)?(\/index)?\.(c?js|ts)$/, "").replaceAll("/", "-")}.cjs`;
};

/** `asides` becomes what is to be built: the name of a file, and the path of the module. */
export const lateModules = (lazyChunks) => ({
  name: "late-modules",
  setup(builder) {
    for (const [filter, from] of LAZY)
      builder.onResolve({ filter }, async ({ path, importer, resolveDir, pluginData }) => {
        if (pluginData === "aside" || (from && !from.test(importer))) return undefined;
        const found = await builder.resolve(path, { resolveDir, kind: "require-call", pluginData: "aside" });
        const name = chunkName(found.path);
        lazyChunks.set(name, found.path);
        return lateOrOutside(path, `./${name}`);
      });
    builder.onResolve({ filter: /.*/, namespace: "late" }, ({ path }) => ({ path, external: true }));
    builder.onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      NAMED.test(path) && !CHANGES.test(importer) ? lateOrOutside(path, path) : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "late" }, ({ path, pluginData: names }) => ({
      contents: names ? namesOf(path, names) : wholeOf(path),
    }));
  },
});

function lateOrOutside(path, file) {
  if (NAMED.test(path)) return { path: file, namespace: "late", pluginData: Object.keys(inPackages(path)) };
  return WHOLE.test(path) ? { path: file, namespace: "late" } : { path: file, external: true };
}

const namesOf = (file, names) => `let all;
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => (all ??= require("${file}"))[name] });`;

const wholeOf = (file) => `let all;
export default new Proxy({}, { get: (_, name) => (all ??= require("${file}").default)[name] });`;

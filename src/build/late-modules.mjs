// An esbuild plugin that loads modules which few runs need on first use: parts of the program from separate files beside the entry files,
// each built once, and large modules of Node.
import { createRequire } from "node:module";

/** Modules that become a file beside the entry files: the import specifier, and the importing file if only some importers count. */
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

/** Modules whose exports are imported by name at the top of a file, which must not load them yet. */
const NAMED = /^(re2js|yaml|csv-parse\/sync|node:(fs\/promises|https|tls))$/;
/** The redirect replaces functions of the modules that it imports, so it needs the modules themselves. */
const PATCHING = /[\\/]src[\\/]library[\\/]redirect[\\/]/;
/** Modules that are imported by their default export. */
const DEFAULT_EXPORTED = /generated\//;

const requirePackage = createRequire(import.meta.url);

/** "@faker-js/faker/locale/en" → "faker-locale-en.cjs", "src/mcp/index.ts" → "mcp.cjs" */
const nameChunk = (path) => {
  const inside = path.replaceAll("\\", "/").replace(/^.*\/(node_modules|generated|src\/engine|src)\/(@[\w-]+\/)?/, "");
  return `${inside.replace(/(\/dist)?(\/index)?\.(c?js|ts)$/, "").replaceAll("/", "-")}.cjs`;
};

/** Adds the files to build to `lazyChunks`: the name of each file, and the path of its module. */
export const createLatePlugin = (lazyChunks) => ({
  name: "late-modules",
  setup(builder) {
    for (const [filter, from] of LAZY)
      builder.onResolve({ filter }, async ({ path, importer, resolveDir, pluginData }) => {
        if (pluginData === "aside" || (from && !from.test(importer))) return undefined;
        const found = await builder.resolve(path, { resolveDir, kind: "require-call", pluginData: "aside" });
        const name = nameChunk(found.path);
        lazyChunks.set(name, found.path);
        return resolveLate(path, `./${name}`);
      });
    builder.onResolve({ filter: /.*/, namespace: "late" }, ({ path }) => ({ path, external: true }));
    builder.onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      NAMED.test(path) && !PATCHING.test(importer) ? resolveLate(path, path) : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "late" }, ({ path, pluginData: names }) => ({
      contents: names ? exportNamesLate(path, names) : exportDefaultLate(path),
    }));
  },
});

function resolveLate(path, file) {
  if (NAMED.test(path)) return { path: file, namespace: "late", pluginData: Object.keys(requirePackage(path)) };
  return DEFAULT_EXPORTED.test(path) ? { path: file, namespace: "late" } : { path: file, external: true };
}

const exportNamesLate = (file, names) => `let all;
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => (all ??= require("${file}"))[name] });`;

const exportDefaultLate = (file) => `let all;
export default new Proxy({}, { get: (_, name) => (all ??= require("${file}").default)[name] });`;

// Makes dist/: the entry files of the command line and of the library, each without dependencies; separate files for what few runs need
// (Prism, faker, MCP, large validators), loaded on first use; declarations; the licences of all bundled packages.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, parse } from "node:path";
import { build } from "esbuild";
import { writeDeclarations } from "./declarations.mjs";
import { createLatePlugin } from "./late-modules.mjs";
import { collectLicences } from "./licences.mjs";
import { buildPages } from "./pages.mjs";
import { playFixtures } from "./play.mjs";
import { root, runIfMain, runStep, say, writeAtomically } from "./step.mjs";

const dist = join(root, "dist");

/** The source of each entry file, and its file in dist/. */
const ENTRIES = [
  ["src/cli/index.ts", "cli.cjs"],
  ["src/index.ts", "library.cjs"],
  ["src/library/redirect/index.ts", "redirect.cjs"],
];

/** The subpaths for test runners, in each module format. These small files import the library and the runner. */
const RUNNERS = ["vitest.mjs", "jest.cjs", "jest.mjs", "node-test.cjs", "node-test.mjs"];

const TIMERS = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"].join();

/** The sandbox keeps the timers of the time when it was loaded, so that fake timers of a test do not affect it. */
const BANNER = `const moduleUrl = require("node:url").pathToFileURL(__filename).href, {${TIMERS}} = globalThis;`;

/** Bundles JSON as a string that is parsed, because V8 parses large JSON faster as text than as code. */
const jsonAsText = {
  name: "json-as-text",
  setup(builder) {
    const filter = /[\\/]src[\\/]contract[\\/]generated[\\/].*\.json$|mime-db[\\/]db\.json$/;
    builder.onLoad({ filter }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    });
  },
};

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  // Users who need these packages install them.
  external: ["pg", "@opentelemetry/*"],
  metafile: true,
  write: false,
  legalComments: "none",
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the line that threw, so lines must be short enough for a terminal.
  lineLimit: 160,
  // A dynamic import becomes a late require of a module in the same file.
  supported: { "dynamic-import": false },
  // jsonc-parser's main file hides its requires from a bundler.
  alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: BANNER },
  logLevel: "silent",
  plugins: [jsonAsText],
};

/** Bundles the file of a test runner. The runner itself is external: the version that the user has installed. */
function buildRunner(file) {
  const { name, ext } = parse(file);
  // The file imports the library beside it, because a bundled copy would have error classes of its own.
  const setup = (builder) =>
    builder.onResolve({ filter: /^\.\.\/\.\.\/index\.ts$/ }, () => ({ path: `./index${ext}`, external: true }));
  return build({
    ...COMMON,
    entryPoints: [`src/library/runners/${name}.ts`],
    outfile: `dist/${file}`,
    external: ["vitest", "@jest/globals"],
    plugins: [{ name: "external-library", setup }],
    banner: {},
    format: ext === ".mjs" ? "esm" : "cjs",
  });
}

/** Bundles all programs and late modules. Returns the results of esbuild. */
async function buildPrograms() {
  // The plugin maps the file of each late module to its path while the entry files are bundled.
  const lazyChunks = new Map();
  const plugins = [createLatePlugin(lazyChunks), jsonAsText];
  const made = await Promise.all([
    ...ENTRIES.map(([source, file]) => build({ ...COMMON, plugins, entryPoints: [source], outfile: `dist/${file}` })),
    ...RUNNERS.map(buildRunner),
  ]);
  const buildChunk = ([sourcefile, path]) => {
    const stdin = { contents: `module.exports = require(${JSON.stringify(path)});`, resolveDir: root, sourcefile };
    return build({ ...COMMON, stdin, outfile: `dist/${sourcefile}`, banner: {} });
  };
  return [...made, ...(await Promise.all([...lazyChunks].map(buildChunk)))];
}

/** esbuild does not escape all letters in patterns and templates. One arrow makes V8 keep all 4 MB with two bytes per character. */
const escapeToAscii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns whether anything had changed. */
export const buildBundle = () =>
  runStep({
    name: "bundle",
    folder: dist,
    inputs: ["src", "fixtures", "tsconfig.json", "package.json", "package-lock.json"],
    work: writeBundle,
  });

async function writeBundle() {
  const [programs, pages] = await Promise.all([buildPrograms(), buildPages()]);
  const licences = collectLicences([...programs, ...pages.made].map(({ metafile }) => metafile));
  // The package contains the whole folder but for stamps, which begin with a dot, and measurements.
  for (const name of readdirSync(dist))
    if (!name.startsWith(".") && name !== "bench.json") rmSync(join(dist, name), { recursive: true, force: true });
  const files = programs.flatMap(({ outputFiles }) => outputFiles);
  for (const { path, text } of files) writeAtomically(path, escapeToAscii(text));
  pages.write();
  writeAtomically(join(dist, "THIRD-PARTY-LICENSES.txt"), licences.text);
  writeEntryPoints();
  const declarationCount = await writeDeclarations(dist);
  await playFixtures();
  const sizes = files.map(({ path, text }) => `${basename(path)} ${(text.length / 1e6).toFixed(1)} MB`);
  say(`bundle: ${sizes.join(", ")}; ${licences.count} packages inside, ${declarationCount} declaration files`);
  say(`console: ${(pages.size / 1000).toFixed(1)} kB, compressed`);
  return readdirSync(dist).filter((name) => !name.startsWith(".") && name !== "bench.json");
}

/** The ESM entry only re-exports the CommonJS one, so that both have the same objects. */
function writeEntryPoints() {
  // Node reads an imported CommonJS file completely to find the names of its exports, so index.cjs is small.
  writeAtomically(join(dist, "index.cjs"), `const library = require("./library.cjs");\nmodule.exports = library;\n`);
  const names = Object.keys(createRequire(import.meta.url)(join(dist, "index.cjs")));
  const lines = names.map((name) => `export const ${name} = library.${name};`);
  writeAtomically(join(dist, "index.mjs"), `import library from "./index.cjs";\n${lines.join("\n")}\n`);
}

await runIfMain(import.meta.filename, async () => {
  if (!(await buildBundle())) say("bundle: nothing changed");
});

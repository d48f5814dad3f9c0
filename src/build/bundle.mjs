// Makes dist/: the entry files of the command line and of the library, each without dependencies; separate files for what few runs need
// (Prism, faker, MCP, large validators), loaded on first use; declarations; the licences of all bundled packages.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { runExclusively } from "./alone.mjs";
import { computeFingerprint, isFresh, listFiles, root, say, writeAtomically } from "./changed.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { createLatePlugin } from "./late-modules.mjs";
import { collectLicences } from "./licences.mjs";
import { buildPages } from "./pages.mjs";
import { playFixtures } from "./play.mjs";

const dist = join(root, "dist");
const stamp = join(dist, ".inputs");

/** Other files in dist/ that the build keeps. It removes all that are not listed, because the package contains the whole folder. */
const OTHER_OUTPUTS = [
  ...["THIRD-PARTY-LICENSES.txt", "index.cjs", "index.mjs", "types", "types-cjs", "played", "console", "docs"],
  "bench.json",
];

/** The source of each entry file, and its file in dist/. */
const ENTRIES = [
  ["src/cli/index.ts", "cli.cjs"],
  ["src/index.ts", "library.cjs"],
  ["src/library/redirect/index.ts", "redirect.cjs"],
];

/** The subpaths for test runners, in each module format. These small files import the library and the runner. */
const RUNNERS = [
  ["src/library/runners/vitest.ts", "vitest.mjs"],
  ["src/library/runners/jest.ts", "jest.cjs"],
  ["src/library/runners/jest.ts", "jest.mjs"],
  ["src/library/runners/node-test.ts", "node-test.cjs"],
  ["src/library/runners/node-test.ts", "node-test.mjs"],
];

const TIMERS = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"].join();

/** The sandbox keeps the timers of the time when it was loaded, so that fake timers of a test do not affect it. */
const BANNER = `const moduleUrl = require("node:url").pathToFileURL(__filename).href, {${TIMERS}} = globalThis;`;

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
};

/** Makes a runner's file import the library beside it, because a bundled copy would have error classes of its own. */
const createLibraryPlugin = (extension) => ({
  name: "external-library",
  setup(builder) {
    builder.onResolve({ filter: /^\.\.\/\.\.\/index\.ts$/ }, () => ({ path: `./index${extension}`, external: true }));
  },
});

/** Bundles the file of a test runner. The runner itself is external: the version that the user has installed. */
function buildRunner([source, file]) {
  const extension = extname(file);
  return buildFile({
    entryPoints: [source],
    outfile: `dist/${file}`,
    external: ["vitest", "@jest/globals"],
    plugins: [createLibraryPlugin(extension)],
    banner: {},
    format: extension === ".mjs" ? "esm" : "cjs",
  });
}

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

/** Throws an error with one line for each problem, with its file and line. */
async function buildFile(options) {
  try {
    return await build({ ...COMMON, plugins: [jsonAsText], ...options });
  } catch (error) {
    const lines = (error.errors ?? []).map(
      ({ text, location: at }) => `  ${at ? `${at.file}:${at.line}: ` : ""}${text}`,
    );
    throw new Error(`The bundle failed:\n${lines.join("\n") || error.message}`);
  }
}

/** esbuild does not escape all letters in patterns and templates. One arrow makes V8 keep all 4 MB with two bytes per character. */
const escapeToAscii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns whether anything had changed. */
export const buildBundle = () => runExclusively("bundle", makeBundle);

async function makeBundle() {
  const outputs = [...[...ENTRIES, ...RUNNERS].map(([, file]) => file), "console/console.js", "docs/reader.js"].map(
    (file) => join(dist, file),
  );
  // The fingerprint is of contents, not of times, because a checkout gives every file a new time.
  const mark = computeFingerprint(listFiles("src", "fixtures", "tsconfig.json", "package.json", "package-lock.json"));
  if (isFresh(stamp, mark, outputs)) return false;
  // The plugin maps the file of each late module to its path while the entry files are bundled.
  const lazyChunks = new Map();
  const made = await Promise.all(
    ENTRIES.map(([source, file]) =>
      buildFile({
        entryPoints: [source],
        outfile: `dist/${file}`,
        plugins: [createLatePlugin(lazyChunks), jsonAsText],
      }),
    ),
  );
  made.push(...(await Promise.all(RUNNERS.map(buildRunner))));
  const pages = await buildPages();
  // Late modules are known only when all entry files have been bundled.
  for (const [name, path] of lazyChunks) {
    const stdin = {
      contents: `module.exports = require(${JSON.stringify(path)});`,
      resolveDir: root,
      sourcefile: name,
    };
    made.push(await buildFile({ stdin, outfile: `dist/${name}`, banner: {} }));
  }
  const licences = collectLicences([...made, ...pages.made].map((each) => each.metafile));

  mkdirSync(dist, { recursive: true });
  // An interrupted build must not look fresh.
  rmSync(stamp, { force: true });
  const builtNames = made.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => basename(path)));
  const ours = new Set([...builtNames, ...OTHER_OUTPUTS]);
  // Names that begin with a dot are stamps, also of other builds.
  for (const name of readdirSync(dist))
    if (!name.startsWith(".") && !ours.has(name)) rmSync(join(dist, name), { recursive: true, force: true });
  for (const { path, text } of made.flatMap((each) => each.outputFiles)) writeAtomically(path, escapeToAscii(text));
  writeAtomically(join(dist, "THIRD-PARTY-LICENSES.txt"), licences.text);
  const declarationCount = await writeLibrary();
  // Playing uses the new library. The stamp is written last, because it marks the build as complete.
  await playFixtures();
  writeAtomically(stamp, mark);
  const sizes = made
    .flatMap((each) => each.outputFiles)
    .map(({ path, text }) => `${basename(path)} ${(text.length / 1e6).toFixed(1)} MB`);
  say(
    `bundle: ${sizes.join(", ")}; ${licences.count} packages inside, ${declarationCount} declaration files; console ${(pages.size / 1000).toFixed(1)} kB compressed`,
  );
  return true;
}

/** The ESM entry only re-exports the CommonJS one, so that both have the same objects. */
async function writeLibrary() {
  // Node reads an imported CommonJS file completely to find the names of its exports, so index.cjs is small.
  writeAtomically(join(dist, "index.cjs"), `const library = require("./library.cjs");\nmodule.exports = library;\n`);
  const names = Object.keys(createRequire(import.meta.url)(join(dist, "index.cjs")));
  const lines = names.map((name) => `export const ${name} = library.${name};`);
  writeAtomically(join(dist, "index.mjs"), `import library from "./index.cjs";\n${lines.join("\n")}\n`);
  for (const flavour of ["types", "types-cjs"]) rmSync(join(dist, flavour), { recursive: true, force: true });
  return writeDeclarations(dist);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  buildBundle().then(
    (isChanged) => isChanged || say("bundle: nothing changed"),
    (error) => {
      say(error.message);
      process.exitCode = 1;
    },
  );
}

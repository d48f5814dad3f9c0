// Makes dist/: the entry files of the command line and of the library, each without dependencies; separate files for what few runs need
// (Prism, faker, MCP, large validators), loaded on first use; declarations; the licences of all bundled packages.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { alone } from "./alone.mjs";
import { filesUnder, fingerprint, isFresh, root, say, writeWhole } from "./changed.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { lateModules } from "./late-modules.mjs";
import { collectLicences } from "./licences.mjs";
import { oneCopy } from "./one-copy.mjs";
import { bundlePages } from "./pages.mjs";
import { playFixtures } from "./play.mjs";

const dist = join(root, "dist");
const stamp = join(dist, ".inputs");

/** What else is made there. All that an earlier build left is removed, since the package has the whole folder. */
const OTHERS = [
  ...["THIRD-PARTY-LICENSES.txt", "index.cjs", "index.mjs", "types", "types-cjs", "played", "console", "docs"],
  "bench.json",
];

/** Source → file in dist/. */
const ENTRIES = [
  ["src/cli/index.ts", "cli.cjs"],
  ["src/index.ts", "library.cjs"],
  ["src/library/redirect/index.ts", "redirect.cjs"],
];

/** The subpaths for test runners, in the formats that each is imported in: small files that import the library and the runner. */
const RUNNERS = [
  ["src/library/runners/vitest.ts", "vitest.mjs"],
  ["src/library/runners/jest.ts", "jest.cjs"],
  ["src/library/runners/jest.ts", "jest.mjs"],
  ["src/library/runners/node-test.ts", "node-test.cjs"],
  ["src/library/runners/node-test.ts", "node-test.mjs"],
];

const TIMERS = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"].join();

/** A test that fakes the timers of its process means its own: those of the sandbox are the ones that were there when it was loaded. */
const BANNER = `const moduleUrl = require("node:url").pathToFileURL(__filename).href, {${TIMERS}} = globalThis;`;

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  // Installed by who uses it.
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

/**
 * A runner's file imports the library that stands beside it: with a copy inside, its errors would be of other classes.
 */
const besideLibrary = (extension) => ({
  name: "beside-library",
  setup(builder) {
    builder.onResolve({ filter: /^\.\.\/\.\.\/index\.ts$/ }, () => ({ path: `./index${extension}`, external: true }));
  },
});

/** The runner itself is what the user has installed, in whatever version. */
function bundledRunner([source, file]) {
  const extension = extname(file);
  return bundled({
    entryPoints: [source],
    outfile: `dist/${file}`,
    external: ["vitest", "@jest/globals"],
    plugins: [besideLibrary(extension)],
    banner: {},
    format: extension === ".mjs" ? "esm" : "cjs",
  });
}

/** V8 parses large JSON faster as a text than as a program. */
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
const PLUGINS = [jsonAsText, oneCopy];

/** Throws an error with one line for each problem, and where it is. */
async function bundled(options) {
  try {
    return await build({ ...COMMON, plugins: PLUGINS, ...options });
  } catch (error) {
    const lines = (error.errors ?? []).map(
      ({ text, location: at }) => `  ${at ? `${at.file}:${at.line}: ` : ""}${text}`,
    );
    throw new Error(`The bundle cannot be made:\n${lines.join("\n") || error.message}`);
  }
}

/** esbuild leaves a few letters in patterns and templates as they are: one arrow, and V8 holds four megabytes in two bytes a character. */
const inAscii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns whether there was anything to build. */
export const buildBundle = () => alone("bundle", makeBundle);

async function makeBundle() {
  const outputs = [...[...ENTRIES, ...RUNNERS].map(([, file]) => file), "console/console.js", "docs/reader.js"].map(
    (file) => join(dist, file),
  );
  // By contents and not by times: a checkout gives every file a new time.
  const mark = fingerprint(filesUnder("src", "fixtures", "tsconfig.json", "package.json", "package-lock.json"));
  if (isFresh(stamp, mark, outputs)) return false;
  // File → module that is loaded late; the plugin fills it while the doors are bundled.
  const lazyChunks = new Map();
  const made = await Promise.all(
    ENTRIES.map(([source, file]) =>
      bundled({ entryPoints: [source], outfile: `dist/${file}`, plugins: [lateModules(lazyChunks), ...PLUGINS] }),
    ),
  );
  made.push(...(await Promise.all(RUNNERS.map(bundledRunner))));
  const pages = await bundlePages();
  // One after the other, when all doors have said what they load late.
  for (const [name, path] of lazyChunks) {
    const stdin = {
      contents: `module.exports = require(${JSON.stringify(path)});`,
      resolveDir: root,
      sourcefile: name,
    };
    made.push(await bundled({ stdin, outfile: `dist/${name}`, banner: {} }));
  }
  const licences = collectLicences([...made, ...pages.made].map((each) => each.metafile));

  mkdirSync(dist, { recursive: true });
  // An interrupted build must not look fresh.
  rmSync(stamp, { force: true });
  const named = made.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => basename(path)));
  const ours = new Set([...named, ...OTHERS]);
  // Names with a dot in front are stamps, also of other builds.
  for (const name of readdirSync(dist))
    if (!name.startsWith(".") && !ours.has(name)) rmSync(join(dist, name), { recursive: true, force: true });
  for (const { path, text } of made.flatMap((each) => each.outputFiles)) writeWhole(path, inAscii(text));
  writeWhole(join(dist, "THIRD-PARTY-LICENSES.txt"), licences.text);
  const typed = await writeLibrary();
  // With the library just made; so it comes before the stamp, which says that all is done.
  await playFixtures();
  writeWhole(stamp, mark);
  const sizes = made
    .flatMap((each) => each.outputFiles)
    .map(({ path, text }) => `${basename(path)} ${(text.length / 1e6).toFixed(1)} MB`);
  say(
    `bundle: ${sizes.join(", ")}; ${licences.count} packages inside, ${typed} declaration files; console ${(pages.size / 1000).toFixed(1)} kB compressed`,
  );
  return true;
}

/** The ESM entry only re-exports the CommonJS one, so that both have the same objects. */
async function writeLibrary() {
  // A file of its own: Node reads all of a CommonJS file that is imported, to find the names of its exports.
  writeWhole(join(dist, "index.cjs"), `const library = require("./library.cjs");\nmodule.exports = library;\n`);
  const names = Object.keys(createRequire(import.meta.url)(join(dist, "index.cjs")));
  const lines = names.map((name) => `export const ${name} = library.${name};`);
  writeWhole(join(dist, "index.mjs"), `import library from "./index.cjs";\n${lines.join("\n")}\n`);
  for (const flavour of ["types", "types-cjs"]) rmSync(join(dist, flavour), { recursive: true, force: true });
  return writeDeclarations(dist);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  buildBundle().then(
    (did) => did || say("bundle: nothing changed"),
    (error) => {
      say(error.message);
      process.exitCode = 1;
    },
  );
}

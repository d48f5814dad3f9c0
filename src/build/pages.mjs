// Makes the pages: dist/console/, and dist/docs/ with RapiDoc. By itself (`node src/build/pages.mjs`) it takes two seconds.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root, say, writeWhole } from "./changed.mjs";
import { oneCopy } from "./one-copy.mjs";

/** Of the console's scripts and style sheet together, compressed. The console must not become an application of its own. */
const MAX_CONSOLE_BYTES = 60_000;
const rapidoc = join(root, "node_modules/rapidoc/src");

/** @satisfies {import("esbuild").BuildOptions} */
const COMMON = {
  absWorkingDir: root,
  bundle: true,
  target: ["chrome123", "firefox121", "safari17.5"],
  minify: true,
  legalComments: /** @type {const} */ ("none"),
  logLevel: /** @type {const} */ ("silent"),
};

/** Returns the scripts and the style sheet of the console, and what they are made of. */
export const makeConsole = () =>
  build({
    ...COMMON,
    metafile: true,
    write: false,
    entryPoints: [
      { in: "src/console/main.tsx", out: "console" },
      { in: "src/console/first.ts", out: "first" },
    ],
    outdir: "dist/console",
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
  });

/** RapiDoc sets plain texts as HTML, which the policy of the page forbids: file → how often. */
const PLAIN_TEXTS = { "json-tree.js": 2, "schema-tree.js": 2, "api-request.js": 1 };

/** RapiDoc from its sources: the built file of its package has all its dependencies inside. */
const fromSources = {
  name: "from-sources",
  setup(builder) {
    builder.onResolve({ filter: /^rapidoc$/ }, () => ({ path: join(rapidoc, "rapidoc.js") }));
    builder.onResolve({ filter: /^~\// }, ({ path }) => ({ path: `${join(rapidoc, path.slice(2))}.js` }));
    builder.onLoad({ filter: /rapidoc[\\/]src[\\/]components[\\/].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const [file] = Object.keys(PLAIN_TEXTS).filter((name) => path.endsWith(name));
      const found = text.split(".innerHTML = ").length - 1;
      // A new version of RapiDoc has to be looked at again.
      if (found !== (PLAIN_TEXTS[file] ?? 0)) throw new Error(`${path} sets innerHTML ${found} times.`);
      return { contents: text.replaceAll(".innerHTML = ", ".textContent = ").replaceAll("'&#x2715;'", "'✕'") };
    });
  },
};

const makeReader = () =>
  build({
    ...COMMON,
    metafile: true,
    write: false,
    entryPoints: ["src/console/reader/reader.ts", "src/console/reader/reader.css"],
    outdir: "dist/docs",
    format: "esm",
    inject: ["src/console/reader/buffer.ts"],
    plugins: [fromSources, oneCopy],
  });

/** Writes both folders. Returns what esbuild says of them, and the size of the console; throws if it is too large. */
export async function bundlePages() {
  const [ofConsole, ofReader] = await Promise.all([makeConsole(), makeReader()]);
  const size = ofConsole.outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  if (size > MAX_CONSOLE_BYTES)
    throw new Error(`The console has ${size} bytes, compressed; at most ${MAX_CONSOLE_BYTES} are allowed.`);
  writePage("console", ofConsole, "src/console/index.html");
  writePage("docs", ofReader, "src/console/reader/index.html");
  return { made: [ofConsole, ofReader], size };
}

function writePage(name, { outputFiles }, html) {
  const folder = join(root, "dist", name);
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) writeWhole(path, text);
  writeWhole(join(folder, "index.html"), readFileSync(join(root, html), "utf8"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  say(`console: ${((await bundlePages()).size / 1000).toFixed(1)} of ${MAX_CONSOLE_BYTES / 1000} kB, compressed`);

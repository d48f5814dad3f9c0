// Builds the pages: dist/console/, and dist/docs/ with RapiDoc.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root, writeAtomically } from "./step.mjs";

/** The limit for the script and the style sheet of the console together, compressed. The console must stay small. */
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

/** Returns the script and the style sheet of the console, and the metafile of esbuild. */
export const makeConsole = () =>
  build({
    ...COMMON,
    metafile: true,
    write: false,
    entryPoints: [{ in: "src/console/main.tsx", out: "console" }],
    outdir: "dist/console",
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
  });

/** The number of places in each file where RapiDoc sets plain text as HTML, which the policy of the page forbids. */
const INNER_HTML_COUNTS = { "json-tree.js": 2, "schema-tree.js": 2, "api-request.js": 1 };

/** Bundles RapiDoc from its sources, because the built file of its package contains all its dependencies. */
const fromSources = {
  name: "from-sources",
  setup(builder) {
    builder.onResolve({ filter: /^rapidoc$/ }, () => ({ path: join(rapidoc, "rapidoc.js") }));
    builder.onResolve({ filter: /^~\// }, ({ path }) => ({ path: `${join(rapidoc, path.slice(2))}.js` }));
    builder.onLoad({ filter: /rapidoc[\\/]src[\\/]components[\\/].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const [file] = Object.keys(INNER_HTML_COUNTS).filter((name) => path.endsWith(name));
      const found = text.split(".innerHTML = ").length - 1;
      // A new version of RapiDoc with other places needs a review.
      if (found !== (INNER_HTML_COUNTS[file] ?? 0))
        throw new Error(`${path} sets innerHTML ${found} times. Review these places and correct INNER_HTML_COUNTS.`);
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
    plugins: [fromSources],
  });

/** Returns the results of esbuild, the size of the console, and a function that writes both folders. Throws if the console is too large. */
export async function buildPages() {
  const [consoleBuild, readerBuild] = await Promise.all([makeConsole(), makeReader()]);
  const size = consoleBuild.outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  if (size > MAX_CONSOLE_BYTES)
    throw new Error(`The console has ${size} bytes (compressed). The limit is ${MAX_CONSOLE_BYTES}.`);
  const write = () => {
    writePage("console", consoleBuild, "src/console/index.html");
    writePage("docs", readerBuild, "src/console/reader/index.html");
  };
  return { made: [consoleBuild, readerBuild], size, write };
}

function writePage(name, { outputFiles }, html) {
  const folder = join(root, "dist", name);
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) writeAtomically(path, text);
  writeAtomically(join(folder, "index.html"), readFileSync(join(root, html), "utf8"));
}

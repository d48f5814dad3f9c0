// Makes dist/console/: the page, and its two scripts and its style sheet. By itself (`node src/build/console.mjs`) it takes a second.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root, say, writeWhole } from "./changed.mjs";

const folder = join(root, "dist", "console");
/** Of the scripts and the style sheet together, compressed. The console must not become an application of its own. */
const BUDGET = 60_000;

/** The scripts and the style sheet, and what they are made of. */
export const makeConsole = () =>
  build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/console/main.tsx", out: "console" },
      { in: "src/console/first.ts", out: "first" },
    ],
    outdir: folder,
    bundle: true,
    format: "iife",
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "silent",
  });

/** Writes the folder. Throws if the budget is exceeded. */
export async function bundleConsole() {
  const made = await makeConsole();
  const size = made.outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  if (size > BUDGET) throw new Error(`The console has ${size} bytes, compressed; at most ${BUDGET} are allowed.`);
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of made.outputFiles) writeWhole(path, text);
  writeWhole(join(folder, "index.html"), readFileSync(join(root, "src/console/index.html"), "utf8"));
  return { metafile: made.metafile, size };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  say(`console: ${((await bundleConsole()).size / 1000).toFixed(1)} of ${BUDGET / 1000} kB, compressed`);

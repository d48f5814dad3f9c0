// Makes dist/docs/: the documentation page, its style sheet, and its script with RapiDoc.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root, say, writeWhole } from "./changed.mjs";
import { oneCopy } from "./one-copy.mjs";

const folder = join(root, "dist", "docs");
const rapidoc = join(root, "node_modules/rapidoc/src");

/** RapiDoc sets plain texts as HTML, which the policy of the page forbids: file → how often. */
const PLAIN_TEXTS = { "json-tree.js": 2, "schema-tree.js": 2, "api-request.js": 1 };

/** RapiDoc from its sources: what its package has ready-made is bundled with all that it depends on. */
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

export async function bundleReader() {
  const made = await build({
    absWorkingDir: root,
    entryPoints: ["src/console/reader/reader.ts", "src/console/reader/reader.css"],
    outdir: folder,
    bundle: true,
    format: "esm",
    target: ["chrome123", "firefox121", "safari17.5"],
    minify: true,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "silent",
    inject: ["src/console/reader/buffer.ts"],
    plugins: [fromSources, oneCopy],
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of made.outputFiles) writeWhole(path, text);
  writeWhole(join(folder, "index.html"), readFileSync(join(root, "src/console/reader/index.html"), "utf8"));
  return { metafile: made.metafile, size: gzipSync(made.outputFiles[0].contents).length };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  say(`reader: ${((await bundleReader()).size / 1000).toFixed(1)} kB, compressed`);

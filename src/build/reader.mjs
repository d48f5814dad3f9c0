// Makes dist/docs/: the documentation page, its script, and Scalar's one browser file, compressed as it is served. What is inside that
// file is read from its source map, for the licences.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "esbuild";
import { fingerprint, root, say, writeWhole } from "./changed.mjs";

const folder = join(root, "dist", "docs");
const scalar = join(root, "node_modules/@scalar/api-reference");
const standalone = join(scalar, "dist/browser/standalone.js");
const HOLDER = "@scalar/api-reference";

/** More takes half a minute and saves a tenth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } };

/** Resolves with what `collectLicences` takes. */
export async function bundleReader() {
  const made = await build({
    absWorkingDir: root,
    entryPoints: ["src/reader/reader.ts", "src/reader/reader.css"],
    outdir: folder,
    bundle: true,
    format: "esm",
    target: ["chrome123", "firefox121", "safari17.5"],
    minify: true,
    write: false,
    legalComments: "none",
    logLevel: "silent",
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of made.outputFiles) writeWhole(path, text);
  writeWhole(join(folder, "index.html"), readFileSync(join(root, "src/reader/index.html"), "utf8"));
  await compressScalar();
  return packagesInside();
}

/** Zod, which is inside, would otherwise try whether it may compile code, which the policy of the page forbids and reports. */
const FIRST = "globalThis.__zod_globalConfig={jitless:true};\n";

/** Only when it is another file than last time. */
async function compressScalar() {
  const stamp = join(folder, ".scalar");
  const mark = fingerprint([standalone, join(root, "src/build/reader.mjs")]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === mark) return;
  // Its source map is not shipped.
  const text = FIRST + readFileSync(standalone, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text, BROTLI), promisify(gzip)(text, { level: 9 })]);
  writeWhole(join(folder, "scalar.js.br"), br);
  writeWhole(join(folder, "scalar.js.gz"), gz);
  writeWhole(stamp, mark);
}

const FROM_PNPM = /\.pnpm\/@?[^@/]+@([^_(/]+)[^/]*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const FROM_FAMILY = /^(?:\.\.\/){3}([\w-]+)\/dist\//;

/** Which packages, in which versions, each with the folder that has its licence. */
function packagesInside() {
  const { sources } = JSON.parse(readFileSync(`${standalone}.map`, "utf8"));
  const versions = new Map();
  const family = new Set([HOLDER]);
  for (const source of sources) {
    const [, version, name] = FROM_PNPM.exec(source) ?? [];
    if (name) versions.set(name, version);
    const [, own] = FROM_FAMILY.exec(source) ?? [];
    if (own) family.add(`@scalar/${own}`);
  }
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  // The files of the family may have taken in what they depend on, and no map says so: as it is installed, then.
  for (const name of family)
    for (const each of [name, ...Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})])
      if (!versions.has(each)) versions.set(each, undefined);
  return [...versions].map(([name, version]) => packageCalled(name, version, packages));
}

/** No longer installed, because nothing depends on it any more: a package of the same author under the same licence. */
const STANDS_FOR = { "unist-util-find-after": "unist-util-is" };

function packageCalled(name, version, packages) {
  const paths = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${STANDS_FOR[name] ?? name}`));
  const path = paths.find((each) => packages[each].version === version) ?? paths.sort((a, b) => a.length - b.length)[0];
  if (!path) throw new Error(`${name} is inside ${HOLDER} and is not installed, so its licence is not known.`);
  return { name, version: version ?? packages[path].version, folder: path, holder: HOLDER };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  say(`reader: ${(await bundleReader()).length} packages inside`);

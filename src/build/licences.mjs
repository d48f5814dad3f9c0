// Collects the licences of all bundled packages in one text, and rejects licences that are not permissive.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./step.mjs";

/** SPDX identifiers of licences whose only duty is to pass on their text. */
const PERMISSIVE = new Set(
  "MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD Unlicense CC0-1.0 BlueOak-1.0.0 Python-2.0".split(" "),
);

/** Finds the folder of the package that a bundled file belongs to, also of a nested package. Returns undefined for files of the project. */
function findPackageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** Returns whether one of the alternatives is permissive in all its terms, such as "(MIT OR Apache-2.0)". */
export function isPermissive(expression) {
  const alternatives = expression.replace(/[()]/g, "").split(" OR ");
  return alternatives.some((terms) => terms.split(" AND ").every((term) => PERMISSIVE.has(term.trim())));
}

/** Old packages have `licenses`, or an object with a `type`. */
function readLicence(manifest) {
  const stated = manifest.license ?? manifest.licenses?.map((each) => each.type).join(" OR ");
  return typeof stated === "string" ? stated : (stated?.type ?? "none stated");
}

/** Reads the licences of a package, and its notices, which Apache-2.0 requires. */
function readLicenceTexts(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  return names.map((name) => readFileSync(join(folder, name), "utf8").trim());
}

/** Returns the text for the packages in esbuild metafiles. Throws an error that names each package whose licence is not permissive. */
export function collectLicences(metafiles) {
  const folders = new Set(metafiles.flatMap((meta) => Object.keys(meta.inputs).map(findPackageFolder)).filter(Boolean));
  const packages = new Map();
  for (const folder of folders) {
    const path = join(root, folder);
    if (!existsSync(join(path, "package.json"))) throw new Error(`${folder} is bundled, but has no package.json.`);
    const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    packages.set(`${manifest.name}@${manifest.version}`, {
      licence: readLicence(manifest),
      texts: readLicenceTexts(path),
    });
  }
  const rejected = [...packages].filter(([, { licence }]) => !isPermissive(licence));
  if (rejected.length > 0) {
    const names = rejected.map(([name, { licence }]) => `${name} (${licence})`).join(", ");
    throw new Error(`The bundle contains packages whose licence is not on the list of permissive licences: ${names}.`);
  }
  // Sorted, so that the file changes only if a package does.
  const entries = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = entries.map(([name, { licence, texts }]) => [`${name} (${licence})`, ...texts].join("\n\n"));
  const rule = `\n\n${"-".repeat(100)}\n\n`;
  return { count: entries.length, text: `${["This package contains the following works.", ...sections].join(rule)}\n` };
}

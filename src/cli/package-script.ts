// Adds the script of `sandbox init` to package.json, so that `npm run sandbox -- start` works in the project.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readBounded } from "../platform/bounded-file.ts";
import { isObject, parseJson } from "../platform/json.ts";
import { writeWhole } from "./whole-file.ts";

/** Returns true if the script was added. An existing script, and a file that is not a manifest, are left unchanged. */
export function addPackageScript(folder: string): boolean {
  const file = join(folder, "package.json");
  // A link may point outside the project.
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  const text = withScript(readBounded(file));
  if (text === undefined) return false;
  writeWhole(file, text, true);
  return true;
}

/** Adds the script and keeps the rest of the text unchanged. Returns undefined if the script exists or `scripts` is not an object. */
function withScript(text: string): string | undefined {
  const manifest = parseJson(text);
  if (!isObject(manifest)) return undefined;
  const { scripts = {} } = manifest;
  if (!isObject(scripts) || Object.hasOwn(scripts, "sandbox")) return undefined;
  const expected = { ...manifest, scripts: { ...scripts, sandbox: "sandbox" } };
  const candidates = manifest.scripts === undefined ? [withNewScripts(text)] : withLongerScripts(text);
  // Another object may also have a field `scripts`. Only the right place results in the expected manifest.
  return candidates.find((candidate) => isDeepStrictEqual(parseJson(candidate), expected));
}

const SCRIPT = '"sandbox": "sandbox"';

function withLongerScripts(text: string): string[] {
  return [...text.matchAll(/"scripts"\s*:\s*\{(\s*)(\}?)/g)].map(({ 0: found, 1: blank = "", 2: end, index }) => {
    const rest = index + found.length;
    const inserted = end ? ` ${SCRIPT} }` : `${blank}${SCRIPT},${blank}`;
    return text.slice(0, rest - blank.length - (end?.length ?? 0)) + inserted + text.slice(rest);
  });
}

/** Adds `scripts` as the last field, with the indentation of the first. */
function withNewScripts(text: string): string {
  const [opening = "", blank = "", close] = /\{(\s*)(\}?)/.exec(text) ?? [];
  if (close) return text.replace(opening, `{ "scripts": { ${SCRIPT} } }`);
  const end = text.slice(0, text.lastIndexOf("}")).trimEnd().length;
  const indent = blank.replace(/^\r?\n/, "");
  const scripts = indent === blank ? ` ${SCRIPT} ` : `${blank}${indent}${SCRIPT}${blank}`;
  return `${text.slice(0, end)},${blank}"scripts": {${scripts}}${text.slice(end)}`;
}

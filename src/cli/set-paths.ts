// Reads the input of a request from --data JSON (or @file), and applies --set path=value to single fields.
import { readFileSync } from "node:fs";
import { toExcerpt } from "../engine/settings.ts";
import { decodeUtf8 } from "../platform/bounded-file.ts";
import { isObject, parseJson } from "../platform/json.ts";
import { getValue, putAt } from "../platform/member-paths.ts";
import { Misuse, readInput, toMessage } from "./failure.ts";

export type JsonMembers = { [member: string]: unknown };

/** Reads --data: `@file` reads a file, `@-` reads stdin. Throws a Misuse, with `member` in the example, unless it is a JSON object. */
export function readData(text: string | undefined, member: string): JsonMembers {
  if (text === undefined) return {};
  const example = `Write it as --data '{"${member}": "…"}'.`;
  if (text === "-") throw new Misuse("--data is -, which is not JSON. Write @- to read it from stdin.");
  const value = parse(text.startsWith("@") ? readWhole(text.slice(1)) : text, example);
  if (isObject(value)) return value;
  throw new Misuse(`--data is ${toExcerpt(text)}, which is not a JSON object. ${example}`);
}

function readWhole(file: string): string {
  const read = () => decodeUtf8(readFileSync(file === "-" ? 0 : file));
  return readInput(read, `--data @${file}`, "Name a file of JSON as @file, or stdin as @-.");
}

function parse(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Misuse(`--data is not JSON: ${toMessage(error)}. ${example}`);
  }
}

/** Returns the path and the value of each --set. A value that is not JSON is a text. */
export function readSets(texts: readonly string[]): [path: string, value: unknown][] {
  const paths = new Set<string>();
  return texts.map((text) => {
    const [, path, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (path === undefined)
      throw new Misuse(`--set is ${toExcerpt(text)}, which is not path=value. Write it as --set customer.name=Anna.`);
    if (paths.has(path)) throw new Misuse(`--set gives ${path} twice. Give it once.`);
    paths.add(path);
    return [path, parseJson(value)];
  });
}

/** Sets fields by path. `items.0.quantity` addresses the first item. Missing objects and lists are created. */
export function withSets(data: JsonMembers, sets: readonly (readonly [path: string, value: unknown])[]): JsonMembers {
  // The copy keeps `data` unchanged.
  const made = structuredClone(data);
  for (const [path, value] of sets) {
    const names = path.split(".");
    names.forEach((name, index) => {
      const known = getValue(made, names.slice(0, index));
      // A number in a missing path creates a list.
      const holder = known === undefined && /^\d+$/.test(name) ? [] : known;
      if (Array.isArray(holder) && Number(name) > holder.length)
        throw new Misuse(`--set: ${name} is beyond the end of the list, which has ${holder.length}.`);
      if (holder === null || !["object", "undefined"].includes(typeof holder)) {
        const is = `${names[index - 1]} is ${toExcerpt(JSON.stringify(holder))} already`;
        throw new Misuse(`--set ${path}: ${is}, and has no members.`);
      }
    });
    putAt(made, names, value);
  }
  return made;
}

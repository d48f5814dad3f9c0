// A request as text that can be edited, and what differs afterwards, by the paths that a replay takes: `path.bookingId`, `query.limit`,
// `header.accept-language`, `body.items`; null takes a member away.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";
import { idsOf, ownHeaders } from "./sent.ts";

/** What a request does not have is undefined. */
export interface Texts {
  path?: string;
  query?: string;
  header?: string;
  body?: string;
}

type Members = Record<string, unknown>;

/** A body that is no object can't be changed, only sent again. */
export function textsOf(entry: RequestEntry, template: { method: string; path: string } | undefined): Texts {
  const { body, query = {} } = entry.request ?? {};
  const path = linesFor(Object.entries(idsOf(entry.path, template)));
  return {
    ...(path ? { path } : {}),
    query: linesFor(Object.entries(query).map(([name, value]) => [name, [value].flat().join(",")])),
    header: linesFor(ownHeaders(entry)),
    ...(isObject(body) ? { body: JSON.stringify(body, null, 2) } : {}),
  };
}

const linesFor = (members: readonly (readonly [string, string])[]): string =>
  members.map(([name, value]) => `${name}=${value}`).join("\n");

export const linesOf = (text = ""): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** The members that are new, other or gone; a sentence where the text can't be read. */
export function whatDiffers(before: Texts, after: Texts): Members | string {
  const set: Members = {};
  for (const part of ["path", "query", "header", "body"] as const) {
    // A part that nobody touched is sent as it was, byte for byte.
    if (before[part] === after[part]) continue;
    const members = part === "body" ? jsonOf(after.body) : membersOf(after[part], part);
    if (typeof members === "string") return members;
    const was = part === "body" ? JSON.parse(before.body ?? "{}") : membersOf(before[part], part);
    for (const name of new Set([...Object.keys(was), ...Object.keys(members)]))
      if (JSON.stringify(was[name]) !== JSON.stringify(members[name])) set[`${part}.${name}`] = members[name] ?? null;
  }
  return set;
}

function membersOf(text: string | undefined, part: string): Members | string {
  const members: Members = {};
  for (const line of linesOf(text)) {
    const at = line.indexOf("=");
    // A name is needed; a value may be empty.
    if (at < 1) return `“${line.slice(0, 60)}” of the ${part} is not name=value.`;
    members[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return members;
}

function jsonOf(text = ""): Members | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "The body has to be a JSON object.";
  } catch (reason) {
    return `The body is no JSON: ${(reason as Error).message}`;
  }
}

/** The parts that the address has otherwise; what is no text there counts for nothing. */
export function editedIn(text: string): Texts {
  const parts = jsonOf(text);
  if (typeof parts === "string") return {};
  return Object.fromEntries(Object.entries(parts).filter(([, each]) => typeof each === "string"));
}

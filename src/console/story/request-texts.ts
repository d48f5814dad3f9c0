// A request as text that can be edited, and what differs afterwards, by the paths that a replay takes: `path.bookingId`, `query.limit`,
// `header.accept-language`, `body.items`; null takes a member away.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";
import { extractPathParameters, listRelevantHeaders } from "./sent-request.ts";

/** What a request does not have is undefined. */
export interface RequestTexts {
  path?: string;
  query?: string;
  header?: string;
  body?: string;
}

type Members = Record<string, unknown>;

/** A body that is no object can't be changed, only sent again. */
export function toEditableTexts(
  entry: RequestEntry,
  template: { method: string; path: string } | undefined,
): RequestTexts {
  const { body, query = {} } = entry.request ?? {};
  const path = formatLines(Object.entries(extractPathParameters(entry.path, template)));
  return {
    ...(path ? { path } : {}),
    query: formatLines(Object.entries(query).map(([name, value]) => [name, [value].flat().join(",")])),
    header: formatLines(listRelevantHeaders(entry)),
    ...(isObject(body) ? { body: JSON.stringify(body, null, 2) } : {}),
  };
}

const formatLines = (members: readonly (readonly [string, string])[]): string =>
  members.map(([name, value]) => `${name}=${value}`).join("\n");

export const splitLines = (text = ""): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** The members that are new, other or gone; a sentence where the text can't be read. */
export function findChanges(before: RequestTexts, after: RequestTexts): Members | string {
  const set: Members = {};
  for (const part of ["path", "query", "header", "body"] as const) {
    // A part that nobody touched is sent as it was, byte for byte.
    if (before[part] === after[part]) continue;
    const members = part === "body" ? parseJsonObject(after.body) : parseMembers(after[part], part);
    if (typeof members === "string") return members;
    const was = part === "body" ? JSON.parse(before.body ?? "{}") : parseMembers(before[part], part);
    for (const name of new Set([...Object.keys(was), ...Object.keys(members)]))
      if (JSON.stringify(was[name]) !== JSON.stringify(members[name])) set[`${part}.${name}`] = members[name] ?? null;
  }
  return set;
}

function parseMembers(text: string | undefined, part: string): Members | string {
  const members: Members = {};
  for (const line of splitLines(text)) {
    const at = line.indexOf("=");
    // A name is needed; a value may be empty.
    if (at < 1) return `“${line.slice(0, 60)}” of the ${part} is not name=value.`;
    members[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return members;
}

function parseJsonObject(text = ""): Members | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "The body has to be a JSON object.";
  } catch (reason) {
    return `The body is no JSON: ${(reason as Error).message}`;
  }
}

/** The parts that the address has otherwise; what is no text there counts for nothing. */
export function parseEditedTexts(text: string): RequestTexts {
  const parts = parseJsonObject(text);
  if (typeof parts === "string") return {};
  return Object.fromEntries(Object.entries(parts).filter(([, each]) => typeof each === "string"));
}

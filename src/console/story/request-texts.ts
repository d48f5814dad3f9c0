// Converts a request to editable texts, and edits to the fields that a replay sets, such as `path.bookingId` or
// `body.items`. Null removes a field.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";
import { extractPathParameters, listRelevantHeaders } from "./sent-request.ts";

/** The editable parts of a request. A part that the request does not have is undefined. */
export interface RequestTexts {
  path?: string;
  query?: string;
  header?: string;
  body?: string;
}

type Members = Record<string, unknown>;

/** Returns the request as editable texts. A body that is not an object can't be edited, only sent again. */
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

/** Returns the new, changed and removed (null) fields, or an error message if a text can't be parsed. */
export function findChanges(before: RequestTexts, after: RequestTexts): Members | string {
  const set: Members = {};
  for (const part of ["path", "query", "header", "body"] as const) {
    // An unchanged part is sent byte for byte.
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
    // The name is required; the value may be empty.
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

/** Parses the edited texts from the address. Values that are not strings are ignored. */
export function parseEditedTexts(text: string): RequestTexts {
  const parts = parseJsonObject(text);
  if (typeof parts === "string") return {};
  return Object.fromEntries(Object.entries(parts).filter(([, each]) => typeof each === "string"));
}

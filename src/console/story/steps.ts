// A request or an act of the log as steps of a scenario. The values are JSON, which YAML reads too.

import { isObject } from "../../platform/json.ts";
import type { ActEntry, RequestEntry } from "../entries.ts";
import {
  classifyCredential,
  extractPathParameters,
  getBody,
  isForm,
  isWorldSpecific,
  listFaultsHit,
  listRelevantHeaders,
} from "./sent-request.ts";
import { parseTrigger } from "./snippets.ts";

type StepMembers = Record<string, unknown>;

const splitWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** Two steps of a scenario can't have one name, and several entries may be copied into one. */
const formatStepName = (name: string, { seq }: Pick<RequestEntry | ActEntry, "seq">): string => `${name} ${seq}`;

/** With the faults that it met before it. Undefined where no step sends such a request. */
export function formatRequestStep(entry: RequestEntry, template: { path: string } | undefined): string | undefined {
  const { operation, status } = entry;
  const body = getBody(entry);
  const credential = classifyCredential(entry);
  // A body that is no object has no names for a step, and a key in a header is not written.
  if (!operation || (body !== null && !isObject(body)) || credential === "basic") return undefined;
  const name = splitWords(operation);
  const faults = listFaultsHit(entry);
  const fault = formatStep({ name: formatStepName(`a fault of ${name}`, entry), fault: faults });
  const call = formatStep({
    name: formatStepName((status ?? 500) < 400 ? name : `${name} is refused`, entry),
    call: operation,
    as: chooseCredential(entry),
    with: { ...extractPathParameters(entry.path, template), ...toStepMembers(entry, body ?? {}) },
    // There may stand also what the specification does not name.
    query: entry.request?.query ?? {},
    headers: Object.fromEntries(listRelevantHeaders(entry).filter(([header]) => !isSentByDefault(header, entry))),
    expect: { status },
  });
  return faults.length > 0 ? fault + call : call;
}

/** A player has a token with all scopes, and none for a token. */
function chooseCredential(entry: RequestEntry): unknown {
  const { operation, status, scopes } = entry;
  const credential = classifyCredential(entry);
  if (credential === "bad") return "raw:not-a-token";
  if (credential === "none") return operation === "createToken" ? undefined : "none";
  return status === 403 ? (scopes ?? undefined) : undefined;
}

/** A player fills in the form of a token: null takes away what it would add. */
function toStepMembers(entry: RequestEntry, body: StepMembers): StepMembers {
  if (entry.operation !== "createToken") return body;
  const filledIn = { grant_type: null, audience: null, client_id: null, client_secret: null };
  return Object.fromEntries(
    Object.entries({ ...filledIn, ...body }).filter(([name]) => !(name in body && isWorldSpecific(name, entry))),
  );
}

/** A player sends these of itself; the name of a test is no part of a story. */
function isSentByDefault(header: string, entry: RequestEntry): boolean {
  if (header === "sandbox-test") return true;
  if (header !== "content-type") return false;
  const isJson = String(entry.request?.headers[header]).startsWith("application/json");
  return entry.operation === "createToken" ? isForm(entry) : isJson;
}

export function formatActStep(entry: ActEntry): string {
  const { act, status, code } = entry;
  const { kind, given } = parseTrigger(entry);
  const name = kind ? `trigger ${kind.slice(3).replaceAll(/[._]/g, " ")}` : splitWords(act);
  const isRefused = status === "refused";
  return formatStep({
    name: formatStepName(isRefused ? `${name} is refused` : name, entry),
    ...(kind ? { trigger: kind } : { act }),
    with: given,
    expect: isRefused ? { code } : {},
  });
}

/** What is empty is left out. */
function formatStep(members: StepMembers): string {
  const lines = Object.entries(members).flatMap(([name, value]) => {
    if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
    // `${` begins a reference there, and `$${` is the text itself.
    return `${name}: ${typeof value === "string" ? value : JSON.stringify(value).replaceAll("${", () => "$${")}\n`;
  });
  return `  - ${lines.join("    ")}`;
}

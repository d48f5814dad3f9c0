// Formats a logged request or act as scenario steps. Values are JSON, which is valid YAML.

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

/** Adds the entry number, because step names are unique and a scenario may combine several entries. */
const formatStepName = (name: string, { seq }: Pick<RequestEntry | ActEntry, "seq">): string => `${name} ${seq}`;

/** Formats the request as a scenario step, after its faults. Returns undefined if no step can send it. */
export function formatRequestStep(entry: RequestEntry, template: { path: string } | undefined): string | undefined {
  const { operation, status } = entry;
  const body = getBody(entry);
  const credential = classifyCredential(entry);
  // A step can't express a body that is not an object, or client credentials in a header.
  if (!operation || (body !== null && !isObject(body)) || credential === "basic") return undefined;
  const name = splitWords(operation);
  const faults = listFaultsHit(entry);
  const fault = formatStep({ name: formatStepName(`a fault of ${name}`, entry), fault: faults });
  const call = formatStep({
    name: formatStepName((status ?? 500) < 400 ? name : `${name} is refused`, entry),
    call: operation,
    as: chooseCredential(entry),
    with: { ...extractPathParameters(entry.path, template), ...toStepMembers(entry, body ?? {}) },
    // The query may contain unknown parameters.
    query: entry.request?.query ?? {},
    headers: Object.fromEntries(listRelevantHeaders(entry).filter(([header]) => !isSentByDefault(header, entry))),
    expect: { status },
  });
  return faults.length > 0 ? fault + call : call;
}

/**
 * Chooses the credential of the step. By default, a scenario uses a token with all scopes, and none for token requests.
 */
function chooseCredential(entry: RequestEntry): unknown {
  const { operation, status, scopes } = entry;
  const credential = classifyCredential(entry);
  if (credential === "bad") return "raw:not-a-token";
  if (credential === "none") return operation === "createToken" ? undefined : "none";
  return status === 403 ? (scopes ?? undefined) : undefined;
}

/** Returns the fields of the body. A scenario completes token requests; null removes what it would add. */
function toStepMembers(entry: RequestEntry, body: StepMembers): StepMembers {
  if (entry.operation !== "createToken") return body;
  const filledIn = { grant_type: null, audience: null, client_id: null, client_secret: null };
  return Object.fromEntries(
    Object.entries({ ...filledIn, ...body }).filter(([name]) => !(name in body && isWorldSpecific(name, entry))),
  );
}

/**
 * Returns true for headers that a scenario sends by default, and for the test name, which is not part of the request.
 */
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

/** Formats a step as YAML, without empty fields. */
function formatStep(members: StepMembers): string {
  const lines = Object.entries(members).flatMap(([name, value]) => {
    if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
    // A scenario reads `${` as a reference; `$${` is the literal text.
    return `${name}: ${typeof value === "string" ? value : JSON.stringify(value).replaceAll("${", () => "$${")}\n`;
  });
  return `  - ${lines.join("    ")}`;
}

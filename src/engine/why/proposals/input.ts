// Proposes corrections of a request that violates its schema or that a rule can't read: the nearest known name, or the correct form of
// the same value. If no correction is evident, the messages of the violations name the expected form and the allowed values.

import { findNearest } from "../../../platform/nearest.ts";
import { after, type Instant, isInstant } from "../../domain/kernel/instant.ts";
import type { Violation } from "../../http/exchange.ts";
import type { JsonMembers } from "../../http/in-force.ts";
import { advice, type Proposal, type RejectedRequest, readAt, toValues } from "../rule.ts";
import { findNearestZone, fixValue, getType } from "./corrected.ts";

const MAX_SENTENCES = 3;

/** Corrects all violations in one change, or none. */
export function fixViolations(question: RejectedRequest): Proposal[] {
  const { violations } = question.rejection;
  const sets = violations.map((violation) => fixViolation(question, violation));
  if (sets.includes(undefined)) return [adviseSentences(violations.map(({ message }) => message))];
  const set: JsonMembers = Object.assign({}, ...sets);
  return Object.keys(set).length === 0 ? [] : [{ text: describeChange(set), set, advice: true }];
}

function adviseSentences(sentences: readonly string[]): Proposal {
  const more = sentences.length > MAX_SENTENCES ? ` And ${sentences.length - MAX_SENTENCES} more.` : "";
  return advice(sentences.slice(0, MAX_SENTENCES).join(" ") + more);
}

/** Describes the first fields of the change in a sentence. */
export function describeChange(set: JsonMembers): string {
  const texts = Object.entries(set).map(([path, value]) => describeMember(path, value));
  const examples = texts.slice(0, MAX_SENTENCES).join(", ");
  const rest = texts.length > MAX_SENTENCES ? `, and ${texts.length - MAX_SENTENCES} more` : "";
  return `${examples.charAt(0).toUpperCase()}${examples.slice(1)}${rest}.`;
}

const MAX_VALUE_LENGTH = 120;

function describeMember(path: string, value: unknown): string {
  if (value === null) return `leave ${path} out`;
  const text = JSON.stringify(value) ?? "";
  const encoded = path.startsWith("query.") && /[+]/.test(text) ? `, written ${encodeURIComponent(String(value))}` : "";
  return `set ${path} to ${text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text}${encoded}`;
}

/** Undefined if no correction is evident. */
function fixViolation(question: RejectedRequest, { location, code }: Violation): JsonMembers | undefined {
  const [section = "", name = ""] = location;
  if (section === "query") return fixParameter(question, name);
  const path = section === "header" ? location.join(".").toLowerCase() : location.join(".");
  const schema = question.schemaAt(location);
  if (code === "required") return renameMisspelled(question, location);
  // The control API reports the object, and the service reports the field.
  if (code === "additionalProperties") return fixUnknown(question, schema ? location : location.slice(0, -1));
  const value = readAt(question, path);
  // A change to null removes the field.
  if (value === null && !isRequired(question, location)) return { [path]: null };
  const corrected = fixValue(value, schema ?? {}, question.schemaAt([...location, "0"]));
  const isChange = corrected !== undefined && JSON.stringify(corrected) !== JSON.stringify(value);
  return isChange ? { [path]: corrected } : undefined;
}

/** A list in a query is one string, but clients may send its values in several parameters. */
function fixParameter(question: RejectedRequest, sentName: string): JsonMembers | undefined {
  const name = sentName.split(/[[\]]+/).find((part) => question.schemaAt(["query", part]) !== undefined);
  const schema = question.schemaAt(["query", name ?? ""]);
  if (!name || !schema) return undefined;
  const sent = [question.query[sentName]].flat().filter((each) => each !== undefined && each !== "");
  const isList = getType(schema) === "array";
  const value = isList ? sent.flatMap((each) => String(each).split(",")) : sent[0];
  const corrected = fixValue(value, schema, question.schemaAt(["query", name, "0"]));
  if (corrected === undefined || sent.length === 0) return undefined;
  const text = Array.isArray(corrected) ? corrected.join(",") : corrected;
  return name === sentName ? { [`query.${name}`]: text } : { [`query.${name}`]: text, [`query.${sentName}`]: null };
}

/** Renames an unknown field whose name is similar to that of the missing field. */
function renameMisspelled(question: RejectedRequest, location: readonly string[]): JsonMembers | undefined {
  const [around, name = ""] = [location.slice(0, -1), location.at(-1)];
  const { properties = {} } = question.schemaAt(around) ?? {};
  const unknown = Object.keys(readAt(question, around.join(".")) ?? {}).filter((each) => !(each in properties));
  const misspelt = unknown.find((each) => /^\w+$/.test(each) && findNearest(each, [name]));
  return misspelt === undefined ? undefined : renameMember(question, around, misspelt, name);
}

/** `around` is the path of the object with unknown fields. */
function fixUnknown(question: RejectedRequest, around: readonly string[]): JsonMembers {
  const sent = Object.keys(readAt(question, around.join(".")) ?? {});
  const known = Object.keys(question.schemaAt(around)?.properties ?? {});
  const missing = known.filter((each) => !sent.includes(each));
  const changes = sent
    .filter((each) => !known.includes(each))
    .map((name) => {
      const meant = findNearest(name, missing);
      return meant === undefined
        ? { [[...around, name].join(".")]: null }
        : renameMember(question, around, name, meant);
    });
  return Object.assign({}, ...changes);
}

function renameMember(question: RejectedRequest, around: readonly string[], from: string, to: string): JsonMembers {
  const value = readAt(question, [...around, from].join("."));
  const corrected = fixValue(value, question.schemaAt([...around, to]) ?? {}) ?? value;
  return { [[...around, to].join(".")]: corrected, [[...around, from].join(".")]: null };
}

function isRequired(question: RejectedRequest, location: readonly string[]): boolean {
  const name = location.at(-1) ?? "";
  return question.schemaAt(location.slice(0, -1))?.required?.includes(name) ?? false;
}

/** Proposes corrections for a rule that can't read a field. */
export function fixInput(question: RejectedRequest): Proposal[] {
  const paths = question.rejection.values
    .map(({ path }) => String(path ?? ""))
    .map((path) => (path.includes(".") || path === "body" ? path : `body.${path}`))
    .filter((path) => path !== "body");
  const pairs = paths.map((path) => [path, fixMember(question, path)] as const);
  const isChange =
    pairs.length > 0 && pairs.every(([path, value]) => value !== undefined && value !== readAt(question, path));
  const set = Object.fromEntries(pairs);
  return [
    ...proposeAnswers(question, paths),
    ...(isChange ? [{ text: describeChange(set), set }] : []),
    advice(question.rejection.message),
  ];
}

function fixMember(question: RejectedRequest, path: string): unknown {
  const value = readAt(question, path);
  // A changed cursor is invalid, so the list starts at its first page.
  if (path.endsWith(".cursor")) return null;
  if (typeof value !== "string") return undefined;
  if (path === "body.timezone") return findNearestZone(value);
  const known = question.read((tx) => {
    if (path.includes("location_id")) return Array.from(tx.locations.walk("created"), ({ id }) => id);
    if (!path.endsWith("information_request_id")) return undefined;
    const {
      event_id = "",
      experience_id,
      booking_id = "",
    } = (question.body ?? {}) as Record<string, string | undefined>;
    const of = experience_id ?? tx.bookings.get(booking_id)?.experience_id ?? tx.events.get(event_id)?.experience_id;
    return tx.experiences.get(of ?? "")?.information_requests.map(({ id }) => id);
  });
  return known ? findNearest(value, known) : fixValue(value, question.schemaAt(path.split(".")) ?? {});
}

/** Proposes to skip the answers if the host may, and otherwise to add the missing ones. */
function proposeAnswers(question: RejectedRequest, paths: readonly string[]): Proposal[] {
  if (paths[0] !== "body.answers") return [];
  const open = question.rejection.values.map(({ what }) => {
    const [, id, ticket] = /^(\S+) is required and has no answer(?: for ticket (\d+))?/.exec(String(what)) ?? [];
    return { information_request_id: id, ...(ticket ? { ticket: Number(ticket) } : {}), answer: "none" };
  });
  const { answers = [] } = (question.body ?? {}) as { answers?: unknown[] };
  const skip = { text: "Set skip_answers to true: the host books without them.", set: { "body.skip_answers": true } };
  const ids = [...new Set(open.map(({ information_request_id }) => information_request_id))].join(", ");
  return [
    ...(question.schemaAt(["body", "skip_answers"]) ? [skip] : []),
    { text: `Answer ${ids} too, for each ticket that asks it.`, set: { "body.answers": [...answers, ...open] } },
  ];
}

/** Proposes an expiry one second or one day after the current one. */
export function useLaterExpiry(question: RejectedRequest): Proposal[] {
  const { path = "", current = "", now = "" } = toValues(question);
  if (!isInstant(current) || !isInstant(now)) return [];
  const latest: Instant = current > now ? current : now;
  const next = path.endsWith("_date") ? after(latest, "P1D").slice(0, 10) : after(latest, "PT1S");
  return [{ text: `Any instant after ${latest}, such as ${next}.`, set: { [path]: next } }];
}

/** Proposes a language of the storefront that has the same first part as a requested one. */
export function useLanguage(question: RejectedRequest): Proposal[] {
  const { requested = "", offered = "" } = toValues(question);
  const languages: readonly string[] = requested.toLowerCase().match(/[a-z]{2}(?=[-_])/g) ?? [];
  const meant = offered.split(", ").find((each) => languages.includes(each.slice(0, 2)));
  if (meant === undefined) return [advice(`Send Accept-Language with a language of the storefront: ${offered}.`)];
  return [{ text: `Send Accept-Language: ${meant}.`, set: { "header.accept-language": meant } }];
}

// Proposes corrections of a request that violates its schema or that a rule can't read: the nearest known name, or the
// correct form of the same value. If no correction is evident, the messages of the violations name the expected form
// and the allowed values.

import { findNearest } from "../../../platform/nearest.ts";
import { after, type Instant, isInstant } from "../../domain/kernel/instant.ts";
import { findNamedIn } from "../../domain/kernel/record-kinds.ts";
import { findZone } from "../../domain/kernel/zone.ts";
import type { Violation } from "../../http/exchange.ts";
import type { JsonMembers } from "../../http/in-force.ts";
import { type Proposal, type RejectedRequest, readAt, toAdvice, toValues } from "../rule.ts";
import { fixValue, getType } from "./corrected.ts";
import { listIds } from "./records.ts";

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
  return toAdvice(sentences.slice(0, MAX_SENTENCES).join(" ") + more);
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
  const schema = question.findSchema(location);
  if (code === "required") {
    const renamed = renameFields(question, location.slice(0, -1), [location.at(-1) ?? ""]);
    return Object.keys(renamed).length === 0 ? undefined : renamed;
  }
  // The control API reports the object, and the service reports the field.
  if (code === "additionalProperties") return fixUnknown(question, schema ? location : location.slice(0, -1));
  const value = readAt(question, path);
  // A change to null removes the field.
  if (value === null && !isRequired(question, location)) return { [path]: null };
  const corrected = fixValue(value, schema ?? {}, question.findSchema([...location, "0"]));
  const isChange = corrected !== undefined && JSON.stringify(corrected) !== JSON.stringify(value);
  return isChange ? { [path]: corrected } : undefined;
}

/** A list in a query is one string, but clients may send its values in several parameters. */
function fixParameter(question: RejectedRequest, sentName: string): JsonMembers | undefined {
  const name = sentName.split(/[[\]]+/).find((part) => question.findSchema(["query", part]) !== undefined);
  const schema = question.findSchema(["query", name ?? ""]);
  if (!name || !schema) return undefined;
  const sent = [question.query[sentName]].flat().filter((each) => each !== undefined && each !== "");
  const isList = getType(schema) === "array";
  const value = isList ? sent.flatMap((each) => String(each).split(",")) : sent[0];
  const corrected = fixValue(value, schema, question.findSchema(["query", name, "0"]));
  if (corrected === undefined || sent.length === 0) return undefined;
  const text = Array.isArray(corrected) ? corrected.join(",") : corrected;
  return name === sentName ? { [`query.${name}`]: text } : { [`query.${name}`]: text, [`query.${sentName}`]: null };
}

/** Renames unknown fields, and omits those that are similar to no missing field. */
function fixUnknown(question: RejectedRequest, around: readonly string[]): JsonMembers {
  const sent = Object.keys(readAt(question, around.join(".")) ?? {});
  const known = Object.keys(question.findSchema(around)?.properties ?? {});
  const unknown = sent.filter((name) => !known.includes(name)).map((name) => [[...around, name].join("."), null]);
  const missing = known.filter((name) => !sent.includes(name));
  return { ...Object.fromEntries(unknown), ...renameFields(question, around, missing) };
}

/** Renames the unknown fields of the object at `around` that are similar to a missing field. */
function renameFields(question: RejectedRequest, around: readonly string[], missing: readonly string[]): JsonMembers {
  const { properties = {} } = question.findSchema(around) ?? {};
  const sent = Object.entries(readAt(question, around.join(".")) ?? {});
  const changes = sent.map(([name, value]) => {
    const meant = /^\w+$/.test(name) && !(name in properties) ? findNearest(name, missing) : undefined;
    if (meant === undefined) return {};
    const corrected = fixValue(value, question.findSchema([...around, meant]) ?? {}) ?? value;
    return { [[...around, meant].join(".")]: corrected, [[...around, name].join(".")]: null };
  });
  return Object.assign({}, ...changes);
}

function isRequired(question: RejectedRequest, location: readonly string[]): boolean {
  const name = location.at(-1) ?? "";
  return question.findSchema(location.slice(0, -1))?.required?.includes(name) ?? false;
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
  const skip = paths[0] === "body.answers" && question.findSchema(["body", "skip_answers"]) !== undefined;
  return [
    ...(skip ? [{ text: SKIP_ANSWERS, set: { "body.skip_answers": true } }] : []),
    ...(isChange ? [{ text: describeChange(set), set }] : []),
    toAdvice(question.rejection.message),
  ];
}

const SKIP_ANSWERS = "Set skip_answers to true: the host books without them.";

function fixMember(question: RejectedRequest, path: string): unknown {
  const value = readAt(question, path);
  // A changed cursor is invalid, so the list starts at its first page.
  if (path.endsWith(".cursor")) return null;
  if (typeof value !== "string") return undefined;
  if (path === "body.timezone") return findZone(value) ?? findNearest(value, Intl.supportedValuesOf("timeZone"));
  const collection = findNamedIn(path.split("."), {});
  if (collection) return question.read((tx) => findNearest(value, listIds(tx, collection)));
  return fixValue(value, question.findSchema(path.split(".")) ?? {});
}

/** Proposes an expiry one second or one day after the current one. */
export function useLaterExpiry(question: RejectedRequest): Proposal[] {
  const { path = "", current = "", now = "" } = toValues(question);
  if (!isInstant(current) || !isInstant(now)) return [];
  const latest: Instant = current > now ? current : now;
  const next = path.endsWith("_date") ? after(latest, "P1D").slice(0, 10) : after(latest, "PT1S");
  return [{ text: `Any instant after ${latest}, such as ${next}.`, set: { [path]: next } }];
}

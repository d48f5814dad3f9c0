// Values that fit: for a member that breaks its schema, or that a rule can't read. What is right in the request stays as it is.

import type { JsonSchema } from "../../../contract/json-schema.ts";
import { nearest } from "../../../platform/nearest.ts";
import { zoneOf, zoneOfCompany } from "../../domain/catalogue/location.ts";
import {
  after,
  fromMillis,
  type Instant,
  instantToLocal,
  isInstant,
  isLocal,
  localToInstant,
  toMillis,
} from "../../domain/kernel/instant.ts";
import type { Violation } from "../../http/exchange.ts";
import type { JsonMembers } from "../../http/patched.ts";
import { type Proposal, type RejectedRequest, valueAt, valuesOf } from "../rule.ts";
import { differences, repaired, type SchemaLocation, typeOf } from "./repaired.ts";
import { nearestZone } from "./repaired-text.ts";

/** All violations mended at once: what is still wrong then comes up when that is tried. */
export function fittingValues(question: RejectedRequest): Proposal[] {
  const set: JsonMembers = Object.assign(
    {},
    ...question.rejection.violations.map((violation) => mended(question, violation)),
  );
  return Object.keys(set).length === 0 ? [] : [{ text: sentenceOf(set), set, advice: true }];
}

/** For a person: the first few. */
export function sentenceOf(set: JsonMembers): string {
  const texts = Object.entries(set).map(([path, value]) => worded(path, value));
  const examples = texts.slice(0, 3).join(", ");
  const rest = texts.length > 3 ? `, and ${texts.length - 3} more` : "";
  return `${examples.charAt(0).toUpperCase()}${examples.slice(1)}${rest}.`;
}

const LONGEST_VALUE = 120;

function worded(path: string, value: unknown): string {
  if (value === null) return `leave ${path} out`;
  const text = JSON.stringify(value) ?? "";
  const encoded = path.startsWith("query.") && /[+]/.test(text) ? `, written ${encodeURIComponent(String(value))}` : "";
  return `set ${path} to ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text}${encoded}`;
}

function mended(question: RejectedRequest, { location: at, code }: Violation): JsonMembers {
  const [section = "", name = ""] = at;
  const location = isOneOfSome(question, at) ? at.slice(0, -1) : at;
  const path = section === "header" ? location.join(".").toLowerCase() : location.join(".");
  const schema = question.schemaAt(location);
  const value = valueAt(question, path);
  // A list in a query has one text, so it is mended as a whole.
  if (section === "query") return { [`query.${name}`]: parameter(question, name) };
  if (code === "additionalProperties" && schema === undefined) return { [path]: null };
  if (code === "oneOf" || code === "anyOf") return alternative(path, schema ?? {}, exampleAt(question, location));
  const misspelt = code === "required" ? misspeltFor(question, location) : undefined;
  if (misspelt !== undefined)
    return { [path]: repaired(valueAt(question, misspelt), locationAt(question, location)), [misspelt]: null };
  // Null where nothing is needed means that it is to be left out.
  if (value === null && !isRequired(question, location)) return { [path]: null };
  const fits = repaired(value, locationAt(question, location));
  return fits === undefined ? {} : differences(path, value, fits);
}

/** Path of the member beside a missing one that nobody knows and that is nearly called so; a body may hold more than its schema has. */
function misspeltFor(question: RejectedRequest, location: readonly string[]): string | undefined {
  const [around, name = ""] = [location.slice(0, -1), location.at(-1)];
  const { properties = {} } = question.schemaAt(around) ?? {};
  const strangers = Object.keys(valueAt(question, around.join(".")) ?? {}).filter((each) => !(each in properties));
  const misspelt = strangers.find((each) => /^\w+$/.test(each) && nearest(each, [name]));
  return misspelt === undefined ? undefined : [...around, misspelt].join(".");
}

/** What is no member of a list of allowed values may have to be left out of its list. */
const isOneOfSome = (question: RejectedRequest, location: readonly string[]): boolean =>
  /^\d+$/.test(location.at(-1) ?? "") && question.schemaAt(location)?.enum !== undefined;

/** A list in a query is one text, and each of its values may have come by itself. */
function parameter(question: RejectedRequest, name: string): unknown {
  const location = locationAt(question, ["query", name]);
  const sent = [question.query[name]].flat().filter((each) => each !== undefined && each !== "");
  if (typeOf(location.schema) !== "array") return repaired(sent[0], location) ?? null;
  const list = repaired(
    sent.flatMap((each) => String(each).split(",")),
    location,
  );
  return Array.isArray(list) ? list.join(",") : null;
}

function locationAt(question: RejectedRequest, path: readonly string[]): SchemaLocation {
  return {
    name: path.at(-1) ?? "",
    schema: question.schemaAt(path) ?? {},
    example: exampleAt(question, path),
    // Looked up only where a time has to be read.
    get zone() {
      return zoneAt(question, path);
    },
    inner: (name) => locationAt(question, [...path, name]),
  };
}

/** Of the location that is named beside the member, or of the experience, or the company's. */
function zoneAt(question: RejectedRequest, path: readonly string[]): string {
  const beside = valueAt(question, path.slice(0, -1).join(".")) as { location_id?: string } | undefined;
  const { location_id, experience_id = "" } = (question.body ?? {}) as { location_id?: string; experience_id?: string };
  return question.read((tx) => {
    const named = beside?.location_id ?? location_id ?? tx.experiences.get(experience_id)?.location_ids[0];
    const location = tx.locations.get(named ?? "");
    return location ? zoneOf(tx, location) : zoneOfCompany(tx.company.get("company"));
  });
}

function isRequired(question: RejectedRequest, location: readonly string[]): boolean {
  const name = location.at(-1) ?? "";
  return question.schemaAt(location.slice(0, -1))?.required?.includes(name) ?? false;
}

/** The first alternative that only requires members, each with its example. */
function alternative(path: string, { oneOf, anyOf, properties }: JsonSchema, example: unknown): JsonMembers {
  const first = (oneOf ?? anyOf)?.find(({ required }) => required !== undefined);
  const plain = (name: string): SchemaLocation => ({
    ...{ name, schema: properties?.[name] ?? {}, zone: "UTC" },
    example: (example as JsonMembers | undefined)?.[name],
    inner: plain,
  });
  const members = (first?.required ?? []).map((name) => [`${path}.${name}`, repaired(undefined, plain(name))]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** What the example of the operation has there; of a list, its first item serves for each. */
function exampleAt(question: RejectedRequest, [section, ...names]: readonly string[]): unknown {
  if (section !== "body") return undefined;
  return names.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)] ?? value[0];
    return (value as JsonMembers | undefined)?.[name];
  }, question.example);
}

/** A rule can't read a member: what was meant, without it, or what the specification shows. */
export function readable(question: RejectedRequest): Proposal[] {
  const paths = question.rejection.values
    .map(({ path }) => String(path ?? ""))
    .map((path) => (path.includes(".") || path === "body" ? path : `body.${path}`))
    .filter((path) => path !== "body");
  const each = (value: (path: string) => unknown): Proposal[] => {
    const pairs = paths.map((path) => [path, value(path)] as const);
    const isChange =
      pairs.length > 0 && pairs.every(([path, now]) => now !== undefined && now !== valueAt(question, path));
    const set = Object.fromEntries(pairs);
    return isChange ? [{ text: sentenceOf(set), set }] : [];
  };
  return [
    ...questionsAnswered(question, paths),
    ...laterSessions(question, paths),
    // From the nearest change to the bluntest.
    ...each((path) => meant(question, path)),
    ...each(() => null),
    ...each((path) => repaired(undefined, locationAt(question, path.split(".")))),
  ];
}

/** A name that is nearly one that the rule knows; a day that the calendar has. */
function meant(question: RejectedRequest, path: string): unknown {
  const value = valueAt(question, path);
  if (typeof value !== "string") return undefined;
  if (path === "body.timezone") return nearestZone(value);
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
  return known ? nearest(value, known) : repaired(value, locationAt(question, path.split(".")));
}

/** A host may book without the answers; otherwise each question gets one, beside those that were given. */
function questionsAnswered(question: RejectedRequest, paths: readonly string[]): Proposal[] {
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

type SessionTimes = { start_time?: string; end_time?: string };

/** Each session that begins before another one ends is moved to that end, as long as it was, and the rest stays. */
function laterSessions(question: RejectedRequest, paths: readonly string[]): Proposal[] {
  const { sessions } = (question.body ?? {}) as { sessions?: SessionTimes[] };
  if (!Array.isArray(sessions) || !paths.every((path) => /^body\.sessions\.\d+\.start_time$/.test(path))) return [];
  const moved = new Set(paths.map((path) => Number(path.split(".")[2])));
  // Times that can't be read are mended by another proposal.
  const isRead = sessions.every(({ start_time = "", end_time = "" }) => isLocal(start_time) && isLocal(end_time));
  if (!isRead) return [];
  const placed = sessions.filter((_, index) => !moved.has(index));
  const set: JsonMembers = {};
  for (const index of moved) {
    const { start_time = "", end_time = "" } = sessions[index] ?? {};
    const length = wallMillis(end_time) - wallMillis(start_time);
    const now = firstFree({ start_time, end_time }, length, placed);
    placed.push(now);
    set[`body.sessions.${index}.start_time`] = now.start_time;
    set[`body.sessions.${index}.end_time`] = now.end_time;
  }
  return [{ text: `Let it begin when the one before it ends: ${sentenceOf(set)}`, set }];
}

const wallMillis = (local: string): number => toMillis(localToInstant(local, "UTC"));

function firstFree(
  session: Required<SessionTimes>,
  length: number,
  others: readonly SessionTimes[],
): Required<SessionTimes> {
  const inTheWay = others.find(
    ({ start_time = "", end_time = "" }) => start_time < session.end_time && session.start_time < end_time,
  );
  if (!inTheWay) return session;
  const start_time = inTheWay.end_time ?? "";
  return firstFree({ start_time, end_time: onWall(wallMillis(start_time) + length) }, length, others);
}

const onWall = (millis: number): string => instantToLocal(fromMillis(millis), "UTC");

/** Later than what stands, by a second. */
export function laterExpiry(question: RejectedRequest): Proposal[] {
  const { path = "", current = "", now = "" } = valuesOf(question);
  if (!isInstant(current) || !isInstant(now)) return [];
  const latest: Instant = current > now ? current : now;
  const next = path.endsWith("_date") ? after(latest, "P1D").slice(0, 10) : after(latest, "PT1S");
  return [{ text: `Any instant after ${latest}, such as ${next}.`, set: { [path]: next } }];
}

/** The storefront's first. */
export function offeredLanguage(question: RejectedRequest): Proposal[] {
  const [first = ""] = (valuesOf(question).offered ?? "").split(", ");
  return [{ text: `Send Accept-Language: ${first}.`, set: { "header.accept-language": first } }];
}

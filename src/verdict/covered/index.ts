// Measures from the log of a sandbox how much of the service a program has used, on several separate axes. Responses
// and deliveries that a fault changed don't count.
import { type Operation, operationsOf, resolve } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import { EVENT_KINDS, lifeCycles } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import { isObject } from "../../platform/json.ts";
import { type Entry, isDelivery, isRequest, type RequestEntry } from "../observed.ts";
import type { JudgedProfile } from "../profiles/index.ts";
import { type CheckReport, createReport, createResult } from "../report/check-report.ts";

/** The axes are never added up, because each answers a different question. */
export const AXES = [
  "operations",
  "statuses",
  "codes",
  "values",
  "transitions",
  "webhooks",
  "drills",
  "assumptions",
] as const;
type Axis = (typeof AXES)[number];
type Sets = Record<Axis, Set<string>>;

interface Covered {
  axis: Axis;
  /** The number of items of the axis, and how many of them the program has met. */
  of: number;
  met: number;
  percent: number;
  gaps: readonly { what: string; close: string }[];
}

type DocumentNode = Record<string, unknown>;

interface CoverageSubject {
  document: DocumentNode;
  /** The ids of all drills, and of those that a verdict has exercised. */
  drills: readonly string[];
  exercised: readonly string[];
}

/** `entries` must be in the order of the log, because transitions are read from consecutive responses. */
export function measureCoverage(
  entries: readonly Entry[],
  { document: served, drills, exercised }: CoverageSubject,
): Covered[] {
  const document = withoutUnions(served);
  const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
  const { coveredBy, ...whole } = listAll(document, operations);
  const met = findMet(document, operations, entries.filter(isRequest));
  for (const entry of entries)
    if (isDelivery(entry) && entry.attempt.outcome === "ACCEPTED" && entry.faults.length === 0)
      met.webhooks.add(entry.webhook_kind);
  whole.drills = new Set(drills);
  met.drills = new Set(exercised);
  return AXES.map((axis) => {
    const all = [...whole[axis]];
    // Gaps are in the order of the document, so that two runs can be compared.
    const gaps = all.filter((each) => !met[axis].has(each));
    const found = all.length - gaps.length;
    // The percentage is rounded down, so that 100 % means all.
    const percent = all.length === 0 ? 100 : Math.floor((found / all.length) * 100);
    const close = (what: string) => COMMANDS[axis](what, coveredBy.get(what) ?? "");
    return { axis, of: all.length, met: found, percent, gaps: gaps.map((what) => ({ what, close: close(what) })) };
  });
}

const createSets = (): Sets => Object.fromEntries(AXES.map((axis) => [axis, new Set()])) as unknown as Sets;

/** The service responds with these statuses only when it fails or is overloaded, so only a fault can cause them. */
const ONLY_INJECTED = new Set(["500", "503", "default"]);

/** Lists the items of each axis, and for a code or a value the first operation that may return it. */
function listAll(document: DocumentNode, operations: ReadonlyMap<string, Operation>) {
  const sets = createSets();
  const coveredBy = new Map<string, string>();
  for (const [id, operation] of operations) {
    sets.operations.add(id);
    const own = createSets();
    collectAssumption(operation.node, own);
    for (const { status, schema, examples } of operation.responses) {
      if (ONLY_INJECTED.has(status)) continue;
      sets.statuses.add(`${id} ${status}`);
      // Records appear in successful responses only.
      if (Number(status) < 400) walkSchema(schema, { value: ANY, path: id }, { document, seen: own });
      for (const value of examples) {
        const code = isObject(value) ? (value.code ?? value.error) : undefined;
        if (typeof code === "string") own.codes.add(code);
      }
    }
    for (const axis of ["codes", "values", "assumptions"] as const)
      for (const each of own[axis]) {
        sets[axis].add(each);
        if (!coveredBy.has(each)) coveredBy.set(each, id);
      }
  }
  // Transitions come from the tables of the rules, so a new one is a gap immediately.
  const kinds = new Set(Object.values(KINDS));
  for (const { kind, moves } of lifeCycles.filter((each) => kinds.has(each.kind)))
    for (const [from, to] of Object.entries(moves))
      for (const each of to) sets.transitions.add(`${kind} ${from} → ${each}`);
  sets.webhooks = new Set(EVENT_KINDS);
  return { ...sets, coveredBy };
}

function findMet(
  document: DocumentNode,
  operations: ReadonlyMap<string, Operation>,
  requests: readonly RequestEntry[],
): Sets {
  const sets = createSets();
  const states = new Map<string, unknown>();
  for (const { operation: id, status, code, answer, faults } of requests) {
    const operation = operations.get(id ?? "");
    // A request without a response does not count.
    if (!operation || faults.length > 0 || status === null) continue;
    sets.operations.add(String(id));
    sets.statuses.add(`${id} ${status}`);
    if (code) sets.codes.add(code);
    collectAssumption(operation.node, sets);
    const response = operation.responses.find((each) => each.status === String(status));
    if (!response || status >= 400) continue;
    const onRecord = (name: string, record: DocumentNode) => collectTransition(sets.transitions, states, name, record);
    walkSchema(response.schema, { value: answer?.body, path: String(id) }, { document, seen: sets, onRecord });
  }
  return sets;
}

function collectAssumption(node: Readonly<DocumentNode>, { assumptions }: Sets): void {
  if (typeof node["x-assumption"] === "string") assumptions.add(node["x-assumption"]);
}

/** A placeholder that matches every value that a schema allows. */
const ANY = Symbol("any value");

interface SchemaWalk {
  document: DocumentNode;
  seen: Sets;
  onRecord?(schema: string, record: DocumentNode): void;
}

/** Collects the values of enums, and the assumptions that the schema cites, from a value or from all that are possible. */
function walkSchema(
  schema: unknown,
  { value, path, on = [] }: { value: unknown; path: string; on?: readonly string[] },
  context: SchemaWalk,
): void {
  if (!isObject(schema) || value === undefined) return;
  const { document, seen, onRecord } = context;
  const walk = (inner: unknown, part: unknown, to = path, names = on) =>
    walkSchema(inner, { value: part, path: to, on: names }, context);
  collectAssumption(schema, seen);
  const name = typeof schema.$ref === "string" ? (schema.$ref.split("/").at(-1) ?? "") : "";
  if (name !== "" && !on.includes(name)) {
    const target = resolve<DocumentNode | undefined>(schema, document);
    // The path of a named object starts with its name, so that its fields have the same path in every response.
    const isPart = target?.type === "object" || target?.allOf !== undefined;
    if (isObject(value)) onRecord?.(name, value);
    walk(target, value, isPart ? name : path, [...on, name]);
  }
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) walk(part, value);
  const options = schema.enum ?? schema["x-extensible-enum"];
  for (const option of Array.isArray(options) ? options : [])
    if (typeof option === "string" && (value === ANY || value === option)) seen.values.add(`${path} ${option}`);
  for (const item of Array.isArray(value) ? value : value === ANY ? [ANY] : []) walk(schema.items, item);
  for (const [member, each] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    walk(each, value === ANY ? ANY : isObject(value) ? value[member] : undefined, `${path}.${member}`);
}

/** The records whose life cycle an integrator sees, with their kind. Their state is in `status` or `state`. */
const KINDS: Readonly<Record<string, string>> = {
  Booking: "booking",
  Ticket: "ticket",
  Order: "order",
  Event: "event",
  GiftCard: "gift card",
  WebhookSubscription: "webhook subscription",
};

/** Adds a transition if an earlier response showed the same record in another state. */
function collectTransition(met: Set<string>, states: Map<string, unknown>, schema: string, record: DocumentNode): void {
  const kind = KINDS[schema];
  if (!kind) return;
  const key = `${schema} ${String(record.id)}`;
  const [before, after] = [states.get(key), record.status ?? record.state];
  states.set(key, after);
  if (before !== undefined && before !== after) met.add(`${kind} ${String(before)} → ${String(after)}`);
}

const listCalls = (operation = ""): string => `sandbox call ${operation} --list`;

/** The command that closes a gap, or shows the request that does. */
const COMMANDS: Readonly<Record<Axis, (what: string, operation: string) => string>> = {
  operations: listCalls,
  statuses: (what) => listCalls(what.split(" ")[0]),
  codes: (_, operation) => listCalls(operation),
  values: (_, operation) => listCalls(operation),
  // Acts and time change the other states.
  transitions: (what) => (what.startsWith("webhook") ? listCalls("replaceWebhookSubscription") : "sandbox act"),
  webhooks: (kind) => `sandbox trigger ${kind}`,
  drills: (id) => `sandbox check --only ${id} -- <command>`,
  assumptions: (id) => `sandbox assume ${id}`,
};

interface Demands {
  /** The percentages of `--min`. */
  minimums: readonly { axis: string; percent: number }[];
  missedMinimums: readonly object[];
  /** The number of entries that the log no longer has. */
  dropped: number;
  profile: JudgedProfile | undefined;
  all: boolean;
}

/** The number of gaps per axis, unless an axis was named. */
const MAX_GAPS = 3;

/** Reports a result for each axis. An axis fails if it is below `--min`. A gap alone is no failure. */
export function reportCoverage(
  axes: readonly Covered[],
  { minimums, missedMinimums, dropped, profile, all }: Demands,
): CheckReport {
  const results = axes.flatMap(({ axis, met, of, percent, gaps }) => {
    const least = minimums.find((each) => each.axis === axis)?.percent;
    // A profile lists its own gaps.
    if (profile && least === undefined) return [];
    const isMissed = least !== undefined && percent < least;
    const listed = all ? gaps : gaps.slice(0, MAX_GAPS);
    const left = gaps.length - listed.length;
    return createResult({
      id: axis,
      level: "should",
      title: `Covered ${axis}`,
      outcome: isMissed ? "fail" : gaps.length > 0 ? "not-exercised" : "pass",
      says: `${met} of ${of}, ${percent} %${isMissed ? `; --min wants ${least} %` : ""}`,
      evidence: listed.map(({ what, close }) => ({ id: what, says: close })),
      ...(left > 0 ? { add: `… ${left} more: sandbox check coverage ${axis}` } : {}),
    });
  });
  return createReport({
    name: "sandbox check coverage",
    results,
    notes: dropped > 0 ? [`${count(dropped, "older entry is", "older entries are")} no longer in the log.`] : [],
    ...(profile ? { profile } : {}),
    document: { axes, missed: missedMinimums, dropped },
  });
}

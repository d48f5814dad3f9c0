// How much of the service a program has met, from the log of a sandbox: several axes, kept apart and never added up. An answer or a
// delivery that a fault made does not count.

import { operationsOf } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import { EVENT_KINDS, lifeCycles } from "../../engine/domain/index.ts";
import { type DeliveryEntry, type Entry, isDelivery, isRequest, type RequestEntry } from "../observed.ts";
import { type DocumentNode, possible, readValues, type SeenValues, targetOf } from "./values.ts";

/** Each answers another question; a sum of them would answer none. */
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

export interface Covered {
  axis: Axis;
  /** How many there are, and how many of them were met. */
  of: number;
  met: number;
  percent: number;
  gaps: readonly { what: string; close: string }[];
}

interface CoveredOperation extends DocumentNode {
  responses: Readonly<Record<string, DocumentNode>>;
}

interface CoverageSubject {
  document: DocumentNode;
  /** The ids of the drills, and of those that a verdict has exercised. */
  drills: readonly string[];
  exercised: readonly string[];
}

/** `entries`: a log, in its order, since transitions are read from answers that follow one another. */
export function coverageOf(
  entries: readonly Entry[],
  { document: served, drills, exercised }: CoverageSubject,
): Covered[] {
  const document = withoutUnions(served);
  const operations = new Map(operationsOf(document).map(({ id, node }) => [id, node as CoveredOperation]));
  const requests = entries.filter(isRequest);
  // A request without an answer has met nothing.
  const counted = requests.filter(
    ({ faults, operation, status }) => faults.length === 0 && operation && status !== null,
  );
  const whole = wholeOf(document, operations, drills);
  const met = metOf(document, operations, counted);
  for (const { webhook_kind } of entries.filter(isDelivery).filter(isTaken)) met.webhooks.add(webhook_kind);
  for (const id of exercised) met.drills.add(id);
  return AXES.map((axis) => {
    const all = [...whole[axis]];
    // In the order of the document, so that two runs can be compared.
    const gaps = all.filter((each) => !met[axis].has(each));
    const count = all.length - gaps.length;
    // Rounded down: 100 % means all.
    const percent = all.length === 0 ? 100 : Math.floor((count / all.length) * 100);
    return {
      axis,
      of: all.length,
      met: count,
      percent,
      gaps: gaps.map((what) => ({ what, close: CLOSE[axis](what, whole.coveredBy.get(what) ?? "") })),
    };
  });
}

const isTaken = ({ attempt, faults }: DeliveryEntry): boolean => attempt.outcome === "ACCEPTED" && faults.length === 0;

type Sets = Record<Axis, Set<string>>;
const emptySets = (): Sets => Object.fromEntries(AXES.map((axis) => [axis, new Set()])) as unknown as Sets;

/** What only an overload or a failure of the service answers can't be met without a fault. */
const ONLY_INJECTED = new Set(["500", "503", "default"]);

/** All that there is, and for a code or a value the first operation that may show it. */
function wholeOf(document: DocumentNode, operations: ReadonlyMap<string, CoveredOperation>, drills: readonly string[]) {
  const sets = emptySets();
  const coveredBy = new Map<string, string>();
  for (const [id, operation] of operations) {
    sets.operations.add(id);
    const own = emptySets();
    const seen = into(own);
    citedIn(operation, seen);
    for (const [status, response] of Object.entries(operation.responses)) {
      if (ONLY_INJECTED.has(status)) continue;
      sets.statuses.add(`${id} ${status}`);
      const content = contentOf(document, response);
      // Only a success has a record in it.
      if (Number(status) < 400) possible(document, content?.schema, { path: id }, seen);
      for (const code of codesIn(content)) own.codes.add(code);
    }
    for (const axis of ["codes", "values", "assumptions"] as const)
      for (const each of own[axis]) {
        sets[axis].add(each);
        if (!coveredBy.has(each)) coveredBy.set(each, id);
      }
  }
  // Transitions come from the tables of the rules, so a new one is a gap at once.
  for (const { kind, moves } of lifeCycles)
    if (Object.values(VALUE_OF).some((each) => each.kind === kind))
      for (const [from, to] of Object.entries(moves))
        for (const each of to) sets.transitions.add(`${kind} ${from} → ${each}`);
  for (const kind of EVENT_KINDS) sets.webhooks.add(kind);
  for (const id of drills) sets.drills.add(id);
  return { ...sets, coveredBy };
}

function metOf(
  document: DocumentNode,
  operations: ReadonlyMap<string, CoveredOperation>,
  requests: readonly RequestEntry[],
): Sets {
  const sets = emptySets();
  const states = new Map<string, unknown>();
  for (const { operation: id, status, code, answer } of requests) {
    const operation = operations.get(id ?? "");
    if (!id || !operation) continue;
    sets.operations.add(id);
    sets.statuses.add(`${id} ${status}`);
    if (code) sets.codes.add(code);
    const seen = {
      ...into(sets),
      record: (schema: string, record: DocumentNode) => follow(sets.transitions, states, schema, record),
    };
    citedIn(operation, seen);
    const response = operation.responses[String(status)];
    if (!response || Number(status) >= 400) continue;
    const schema = contentOf(document, response)?.schema;
    readValues(document, { schema, value: answer?.body, path: id }, seen);
  }
  return sets;
}

const into = (sets: Sets): SeenValues => ({
  value: (path, value) => sets.values.add(`${path} ${value}`),
  assumption: (id) => sets.assumptions.add(id),
});

const citedIn = (operation: CoveredOperation, seen: SeenValues): void => {
  if (typeof operation["x-assumption"] === "string") seen.assumption(operation["x-assumption"]);
};

function contentOf(
  document: DocumentNode,
  response: DocumentNode,
): { schema?: unknown; examples?: DocumentNode } | undefined {
  const resolved = typeof response.$ref === "string" ? targetOf(document, response.$ref) : response;
  const content = (resolved?.content ?? {}) as Record<string, { schema?: unknown; examples?: DocumentNode }>;
  return content["application/json"];
}

const codesIn = (content: { examples?: DocumentNode } | undefined): string[] =>
  Object.values(content?.examples ?? {}).flatMap((example) => {
    const value = (example as { value?: DocumentNode }).value;
    const code = value?.code ?? value?.error;
    return typeof code === "string" ? [code] : [];
  });

/** The records whose life cycle an integrator sees, and the member that has the state. */
const VALUE_OF: Readonly<Record<string, { kind: string; member: string }>> = {
  Booking: { kind: "booking", member: "status" },
  Ticket: { kind: "ticket", member: "status" },
  Order: { kind: "order", member: "status" },
  Event: { kind: "event", member: "state" },
  GiftCard: { kind: "gift card", member: "status" },
  WebhookSubscription: { kind: "webhook subscription", member: "state" },
};

/** Two answers that show the same record before and after. */
function follow(met: Set<string>, states: Map<string, unknown>, schema: string, record: DocumentNode): void {
  const member = VALUE_OF[schema];
  if (!member) return;
  const key = `${schema} ${String(record.id)}`;
  const [before, after] = [states.get(key), record[member.member]];
  states.set(key, after);
  // The first answer with a record shows where it stands, and no transition.
  if (before !== undefined && before !== after) met.add(`${member.kind} ${String(before)} → ${String(after)}`);
}

/** The act that leads to a state, or from one state to another, for the hint; what has none comes with time. */
const ACTS: Readonly<Record<string, string>> = {
  "booking PROCESSING → ACTIVE": "completeCheckout",
  "booking MOVED": "moveBooking",
  "booking CANCELLED": "cancelBooking",
  "booking CHECKED_IN": "checkInTicket",
  "booking ACTIVE": "undoCheckIn",
  "ticket CHECKED_IN": "checkInTicket",
  "ticket VOIDED": "voidTicket",
  "ticket ACTIVE": "undoCheckIn",
  "order CANCELLED": "cancelBooking",
  "order COMPLETED": "completeCheckout",
  "event CANCELLED": "cancelEvent",
  "event ACTIVE": "activateEvent",
  "event INACTIVE": "deactivateEvent",
  "gift card VOIDED": "voidGiftCard",
  "gift card SPENT": "spendGiftCard",
};

/** The command that leads to what was not met, or shows which request does. */
const CLOSE: Readonly<Record<Axis, (what: string, operation: string) => string>> = {
  operations: (id) => `sandbox call ${id} --list`,
  statuses: (what) => `sandbox call ${what.split(" ")[0]} --list`,
  codes: (_, operation) => `sandbox call ${operation} --list`,
  values: (_, operation) => `sandbox call ${operation} --list`,
  transitions: (what) => {
    const [kind = "", , to = ""] = /^(.+) (\S+) → (\S+)$/.exec(what)?.slice(1) ?? [];
    if (kind === "webhook subscription") return "sandbox call replaceWebhookSubscription --list";
    const act = ACTS[what] ?? ACTS[`${kind} ${to}`];
    return act ? `sandbox act ${act}` : "sandbox clock advance P1M";
  },
  webhooks: (kind) => `sandbox trigger ${kind}`,
  drills: (id) => `sandbox check --only ${id} -- <command>`,
  assumptions: (id) => `sandbox assume ${id}`,
};

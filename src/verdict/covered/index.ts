// Measures from the log of a sandbox how much of the service a program has used, on several separate axes. Responses
// and deliveries that a fault changed don't count.

import { operationsOf } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import { EVENT_KINDS, lifeCycles } from "../../engine/domain/index.ts";
import { type DeliveryEntry, type Entry, isDelivery, isRequest, type RequestEntry } from "../observed.ts";
import { collectPossible, type DocumentNode, readValues, resolveReference, type SeenValues } from "./values.ts";

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

export interface Covered {
  axis: Axis;
  /** The number of items of the axis, and how many of them the program has met. */
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
  const operations = new Map(operationsOf(document).map(({ id, node }) => [id, node as CoveredOperation]));
  const requests = entries.filter(isRequest);
  // A request without a response does not count.
  const counted = requests.filter(
    ({ faults, operation, status }) => faults.length === 0 && operation && status !== null,
  );
  const whole = listAll(document, operations, drills);
  const met = findMet(document, operations, counted);
  for (const { webhook_kind } of entries.filter(isDelivery).filter(isDelivered)) met.webhooks.add(webhook_kind);
  for (const id of exercised) met.drills.add(id);
  return AXES.map((axis) => {
    const all = [...whole[axis]];
    // Gaps are in the order of the document, so that two runs can be compared.
    const gaps = all.filter((each) => !met[axis].has(each));
    const count = all.length - gaps.length;
    // The percentage is rounded down, so that 100 % means all.
    const percent = all.length === 0 ? 100 : Math.floor((count / all.length) * 100);
    return {
      axis,
      of: all.length,
      met: count,
      percent,
      gaps: gaps.map((what) => ({ what, close: COMMANDS[axis](what, whole.coveredBy.get(what) ?? "") })),
    };
  });
}

const isDelivered = ({ attempt, faults }: DeliveryEntry): boolean =>
  attempt.outcome === "ACCEPTED" && faults.length === 0;

type Sets = Record<Axis, Set<string>>;
const createSets = (): Sets => Object.fromEntries(AXES.map((axis) => [axis, new Set()])) as unknown as Sets;

/** The service responds with these statuses only when it fails or is overloaded, so only a fault can cause them. */
const ONLY_INJECTED = new Set(["500", "503", "default"]);

/** Lists the items of each axis, and for a code or a value the first operation that may return it. */
function listAll(document: DocumentNode, operations: ReadonlyMap<string, CoveredOperation>, drills: readonly string[]) {
  const sets = createSets();
  const coveredBy = new Map<string, string>();
  for (const [id, operation] of operations) {
    sets.operations.add(id);
    const own = createSets();
    const seen = createCollector(own);
    collectAssumption(operation, seen);
    for (const [status, response] of Object.entries(operation.responses)) {
      if (ONLY_INJECTED.has(status)) continue;
      sets.statuses.add(`${id} ${status}`);
      const content = findContent(document, response);
      // Records appear in successful responses only.
      if (Number(status) < 400) collectPossible(document, content?.schema, { path: id }, seen);
      for (const code of listCodes(content)) own.codes.add(code);
    }
    for (const axis of ["codes", "values", "assumptions"] as const)
      for (const each of own[axis]) {
        sets[axis].add(each);
        if (!coveredBy.has(each)) coveredBy.set(each, id);
      }
  }
  // Transitions come from the tables of the rules, so a new one is a gap immediately.
  for (const { kind, moves } of lifeCycles)
    if (Object.values(STATE_FIELDS).some((each) => each.kind === kind))
      for (const [from, to] of Object.entries(moves))
        for (const each of to) sets.transitions.add(`${kind} ${from} → ${each}`);
  for (const kind of EVENT_KINDS) sets.webhooks.add(kind);
  for (const id of drills) sets.drills.add(id);
  return { ...sets, coveredBy };
}

function findMet(
  document: DocumentNode,
  operations: ReadonlyMap<string, CoveredOperation>,
  requests: readonly RequestEntry[],
): Sets {
  const sets = createSets();
  const states = new Map<string, unknown>();
  for (const { operation: id, status, code, answer } of requests) {
    const operation = operations.get(id ?? "");
    if (!id || !operation) continue;
    sets.operations.add(id);
    sets.statuses.add(`${id} ${status}`);
    if (code) sets.codes.add(code);
    const seen = {
      ...createCollector(sets),
      record: (schema: string, record: DocumentNode) => collectTransition(sets.transitions, states, schema, record),
    };
    collectAssumption(operation, seen);
    const response = operation.responses[String(status)];
    if (!response || Number(status) >= 400) continue;
    const schema = findContent(document, response)?.schema;
    readValues(document, { schema, value: answer?.body, path: id }, seen);
  }
  return sets;
}

const createCollector = (sets: Sets): SeenValues => ({
  value: (path, value) => sets.values.add(`${path} ${value}`),
  assumption: (id) => sets.assumptions.add(id),
});

const collectAssumption = (operation: CoveredOperation, seen: SeenValues): void => {
  if (typeof operation["x-assumption"] === "string") seen.assumption(operation["x-assumption"]);
};

function findContent(
  document: DocumentNode,
  response: DocumentNode,
): { schema?: unknown; examples?: DocumentNode } | undefined {
  const resolved = typeof response.$ref === "string" ? resolveReference(document, response.$ref) : response;
  const content = (resolved?.content ?? {}) as Record<string, { schema?: unknown; examples?: DocumentNode }>;
  return content["application/json"];
}

const listCodes = (content: { examples?: DocumentNode } | undefined): string[] =>
  Object.values(content?.examples ?? {}).flatMap((example) => {
    const value = (example as { value?: DocumentNode }).value;
    const code = value?.code ?? value?.error;
    return typeof code === "string" ? [code] : [];
  });

/** The records whose life cycle an integrator sees, with the field that contains the state. */
const STATE_FIELDS: Readonly<Record<string, { kind: string; member: string }>> = {
  Booking: { kind: "booking", member: "status" },
  Ticket: { kind: "ticket", member: "status" },
  Order: { kind: "order", member: "status" },
  Event: { kind: "event", member: "state" },
  GiftCard: { kind: "gift card", member: "status" },
  WebhookSubscription: { kind: "webhook subscription", member: "state" },
};

/** Adds a transition if an earlier response showed the same record in another state. */
function collectTransition(met: Set<string>, states: Map<string, unknown>, schema: string, record: DocumentNode): void {
  const member = STATE_FIELDS[schema];
  if (!member) return;
  const key = `${schema} ${String(record.id)}`;
  const [before, after] = [states.get(key), record[member.member]];
  states.set(key, after);
  if (before !== undefined && before !== after) met.add(`${member.kind} ${String(before)} → ${String(after)}`);
}

/** The act that leads to a state, or from one state to another. All other transitions are caused by time. */
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

/** The command that closes a gap, or shows the request that does. */
const COMMANDS: Readonly<Record<Axis, (what: string, operation: string) => string>> = {
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

// Injects armed faults: before the operation, so that it doesn't run, or after it, so that its change is kept and only the
// response is lost. Other effects are a row for each field of a fault, with its stage: those on successful responses are
// applied here, after validation, and those on tokens and deliveries where these are issued and sent.

import type { JsonSchema } from "../../contract/json-schema.ts";
import type { Fault, FaultOccasion, FaultStage, HistoryPort, WorldsPort } from "../app/application.ts";
import { bookAllThatIsLeft, changeList, type FaultTarget, moveBooking } from "../app/outdate-response.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { ANY, type FaultThing, getOperations, TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import { readDetails, readSent } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { changeBody, type SentFor } from "./answer-mutators.ts";
import type { Answer, Exchange, Rejection, Routed } from "./exchange.ts";
import { runOperation } from "./run-operation.ts";

type Did = string | undefined;

interface Effect<Value> {
  stage(value: Value): FaultStage;
  apply?(scene: FaultScope, value: Value): Did | Promise<Did>;
}

const stage = () => "answer" as const;

const EFFECTS: { readonly [Member in FaultThing]: Effect<NonNullable<Fault[Member]>> } = {
  token: { stage: ({ revoke }) => (revoke ? "use" : "issue") },
  answer: { stage, apply: changeAnswer },
  page: { stage, apply: changePage },
  stale: { stage, apply: (scene) => bookAllThatIsLeft(toTarget(scene)) },
  move: { stage, apply: (scene) => moveBooking(toTarget(scene)) },
  delivery: { stage: () => "delivery" },
};

const findMember = (fault: Fault): FaultThing | undefined =>
  (Object.keys(EFFECTS) as FaultThing[]).find((member) => fault[member] !== undefined);

/** Returns the stage of a request at which the fault may hit. */
export function findStage(fault: Fault): FaultStage {
  const member = findMember(fault);
  return member ? EFFECTS[member].stage(fault[member] as never) : (fault.when ?? "before");
}

export function injectAnswerFaults(exchange: Routed, application: FaultPorts): Promise<void> | undefined {
  const { world, answer } = exchange;
  // Faults change only successful responses.
  if (!world || !answer || answer.status >= 300 || !application.faults.isArmed(world.id)) return undefined;
  return apply({ exchange, world, application });
}

async function apply({ exchange, world, application }: FaultScope): Promise<void> {
  for (const { fault, takeBack } of application.faults.hit(world.id, toOccasion(exchange, "answer"))) {
    const did = await applyEffect(fault, { exchange, world, application });
    if (did === undefined) takeBack();
    else noteHit(exchange, fault, did);
  }
  // The acts of others must be durable before the response.
  await application.waitUntilDurable(world.id);
}

async function applyEffect(fault: Fault, scene: FaultScope): Promise<Did> {
  const member = findMember(fault);
  if (!member || getOperations(member)?.includes(scene.exchange.route.id) === false) return undefined;
  return EFFECTS[member].apply?.(scene, fault[member] as never);
}

type ArmedFaults = Pick<FaultPorts, "faults">;

type FaultPorts = FaultTarget["application"] & HistoryPort & WorldsPort;

/** A successful request with its world. */
interface FaultScope {
  exchange: Routed;
  world: World;
  application: FaultPorts;
}

/** Lists the ids of the path first, because the request is about them. */
const toTarget = ({ exchange: { id, route, params, answer }, world, application }: FaultScope): FaultTarget => ({
  operation: route.id,
  ids: [...Object.values(params), ...findIds(answer?.body)],
  cause: { kind: "request", id },
  world,
  application,
});

/** Changes fields of the response. Returns a description; undefined if there is nothing to change. */
function changeAnswer(scene: FaultScope, change: NonNullable<Fault["answer"]>): string | undefined {
  const { exchange } = scene;
  const { answer, route } = exchange;
  const response = route.operation.responses.find(({ code }) => code === String(answer?.status));
  // The schema says which fields may change.
  const schema = response?.contents?.[0]?.schema as JsonSchema | undefined;
  const keepsSent = change.leave_out === true || change.leave_out_inside === true;
  const changed = schema && changeBody(answer?.body, schema, change, keepsSent ? findSent(scene) : NOTHING);
  if (!changed) return undefined;
  exchange.answer = { ...(answer as Answer), body: changed.body };
  return changed.did;
}

const NOTHING: SentFor = () => [];

/** Finds the bodies that clients sent for a record, with this request and with those in the log. */
function findSent({ exchange: { body, facts }, world, application }: FaultScope): SentFor {
  return (id) => {
    const before = application.log.listRequestsAbout(world.id, id).map((entry) => readSent(readDetails(entry)));
    // The request itself is not in the log yet.
    return facts.some((fact) => fact.id === id) ? [...before, body] : before;
  };
}

interface AnswerPage {
  next?: string;
  items: readonly unknown[];
}

const readPage = ({ answer }: Routed): AnswerPage => (answer as Answer).body as AnswerPage;

/** Applies each part of the fault, since they can be combined. */
async function changePage(
  scene: FaultScope,
  { short, stuck, hollow, end, change }: NonNullable<Fault["page"]>,
): Promise<string | undefined> {
  const { exchange, application } = scene;
  const did = [
    short ? shortenPage(exchange, application) : undefined,
    stuck ? repeatCursor(exchange) : undefined,
    hollow ? omitItems(exchange, application) : undefined,
    end === undefined ? undefined : endPage(exchange, end),
    // The list changes only between two pages, because no client would notice it after the last one.
    change && readPage(exchange).next ? await changeList(toTarget(scene)) : undefined,
  ].filter((each) => each !== undefined);
  return did.length === 0 ? undefined : did.join(", and ");
}

/** Shortens a page to its first half, with a matching cursor. */
function shortenPage(exchange: Routed, application: FaultPorts): string | undefined {
  const { items } = readPage(exchange);
  const limit = Math.floor(items.length / 2);
  // A page of one item can't be halved.
  if (limit === 0) return undefined;
  const { query } = exchange.parameters;
  const isPosted = exchange.route.operation.method === "post";
  const target = isPosted
    ? { ...exchange, body: { ...(exchange.body as object), limit } }
    : { ...exchange, parameters: { ...exchange.parameters, query: { ...query, limit } } };
  // The operation runs again with half the limit to get a valid cursor.
  const { next } = runOperation(target, application).body as AnswerPage;
  if (next === undefined) return undefined;
  exchange.answer = { ...(exchange.answer as Answer), body: { next, items: items.slice(0, limit) } };
  return `answered ${limit} items of ${items.length}, with a next`;
}

/** Repeats the cursor of the request, which leads to the same page. */
function repeatCursor(exchange: Routed): string | undefined {
  const { cursor } = exchange.parameters.query as { cursor?: string };
  if (!cursor) return undefined;
  const { next: _, ...rest } = readPage(exchange);
  exchange.answer = { ...(exchange.answer as Answer), body: { next: cursor, ...rest } };
  return "answered with a next that leads to the same page";
}

/** Removes the items from a page, and adds a cursor that leads to them. */
function omitItems(exchange: Routed, application: FaultPorts): string | undefined {
  const { query } = exchange.parameters;
  if (!(query as { cursor?: string }).cursor) return undefined;
  const parameters = { ...exchange.parameters, query: { ...query, limit: 0 } };
  const { body } = runOperation({ ...exchange, parameters }, application);
  if ((body as AnswerPage).next === undefined) return undefined;
  exchange.answer = { ...(exchange.answer as Answer), body };
  return "answered a page without items, and a next that leads to them";
}

/** Changes the end of a list on its last page. */
function endPage(exchange: Routed, end: "empty" | "absent"): string | undefined {
  const { next, ...rest } = readPage(exchange);
  if (next) return undefined;
  const body = end === "empty" ? { next: "", ...rest } : rest;
  exchange.answer = { ...(exchange.answer as Answer), body };
  return end === "empty" ? "ended the list with an empty next" : "ended the list without a next";
}

const ID = /^(?:\w+_)?id$/;

/** Finds ids in a response, in their order. */
function findIds(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(findIds);
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" && ID.test(name) ? [member] : findIds(member),
  );
}

/** Ends the steps of a request whose fault was triggered before the operation. */
export class FaultTriggered extends Error {}

export function injectFaultBefore(exchange: Routed, application: ArmedFaults): Promise<void> | undefined {
  const fault = triggerFault(exchange, "before", application);
  if (!fault) return undefined;
  // The operation runs after a mere delay.
  if (fault.status === undefined && !fault.connection) return pause(fault.delay_ms);
  exchange.fault = fault;
  throw new FaultTriggered("a fault was injected");
}

/** Sets the fault that replaces the response. The change is committed already. */
export function injectFaultAfter(exchange: Routed, application: ArmedFaults): void {
  const fault = triggerFault(exchange, "after", application);
  if (fault) exchange.fault = fault;
}

function triggerFault(exchange: Routed, when: "before" | "after", { faults }: ArmedFaults): Fault | undefined {
  const { world } = exchange;
  // This check runs for every request, so it is cheap.
  if (!world || !faults.isArmed(world.id)) return undefined;
  const [hit] = faults.hit(world.id, toOccasion(exchange, when));
  if (hit) noteHit(exchange, hit.fault, describeEffect(hit.fault));
  return hit?.fault;
}

/** Describes the request to the faults. `*` excludes token requests, because programs need a token to reach other operations. */
export function toOccasion(
  { route: { id }, method, key, client }: Routed,
  stage: FaultOccasion["stage"],
): FaultOccasion {
  return { stage, operations: id === TOKEN_OPERATION ? [id] : [id, ANY], method, client: key?.id ?? client };
}

export function noteHit(exchange: Exchange, fault: Fault, did: string): void {
  exchange.faults = [...(exchange.faults ?? []), { name: fault.name, did, fault }];
}

const BROKEN = {
  reset: "reset the connection",
  empty: "closed the connection without a response",
  truncate: "sent half of the response and closed the connection",
};

/** Describes the effect of a fault, as a sentence without its subject. */
function describeEffect({ status, code, delay_ms, connection, when }: Fault): string {
  const late = delay_ms === undefined ? undefined : `waited ${delay_ms} ms`;
  const answered = status === undefined ? undefined : ["answered", status, code].filter(Boolean).join(" ");
  const done = [late, connection ? BROKEN[connection] : answered].filter(Boolean).join(" and ");
  return `${done} ${when === "after" ? "after the operation was carried out" : "before the operation"}`;
}

/** Creates the response of a fault; undefined if it only delays or breaks the connection. */
export function createFaultAnswer({ status, code, retry_after }: Fault, { route }: Exchange): Answer | undefined {
  if (status === undefined) return undefined;
  const message = `Injected fault: ${route?.id} answers ${status}. \`sandbox fault list\` shows the armed faults.`;
  // The token endpoint has errors of its own form (RFC 6749 section 5.2).
  const error = { error: code ?? (status < 500 ? "invalid_request" : "server_error"), error_description: message };
  const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  return { status, headers, body: route?.id === TOKEN_OPERATION ? error : { code: code ?? toCode(status), message } };
}

/** Waits. The timer doesn't keep the process alive, but the connection of a waiting client does. */
export function pause(delayMs: number | undefined): Promise<void> | undefined {
  return delayMs ? new Promise((resolve) => setTimeout(resolve, delayMs).unref()) : undefined;
}

/** Returns undefined for a request that was not rejected. An injected fault replaces the original rejection. */
export function findRejection({ fault, rejection, violations, facts }: Exchange): Rejection | undefined {
  if (!fault || (fault.status === undefined && !fault.connection)) return rejection;
  const what = fault.connection ? `the connection is ended (${fault.connection})` : `status ${fault.status}`;
  const code = fault.code ?? (fault.status === undefined ? "" : toCode(fault.status));
  const isRetained = facts.length > 0;
  // `why` names the stored changes.
  const message = isRetained ? "" : `An armed fault ${describeEffect(fault)}; nothing was changed.`;
  const values = [{ what: `${what}, ${fault.when ?? "before"} the operation`, kept: isRetained ? "yes" : "no" }];
  return { rule: "fault-injected", code, status: fault.status ?? 0, message, values, violations };
}

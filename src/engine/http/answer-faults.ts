// Faults of a good answer: it is changed after it was checked, or its page is shorter or ends otherwise.
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { Fault, HistoryPort, RequestsPort, WebhooksPort, WorldsPort } from "../app/application.ts";
import { changeList, type FaultTarget } from "../app/outdate-response.ts";
import { type ExchangeDetails, readDetails, readSent } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { changeBody, type SentFor } from "./answer-mutators.ts";
import type { Answer, Routed } from "./exchange.ts";
import { runOperation } from "./run-operation.ts";

/** What of the application a fault of an answer may use. */
export type Scenery = HistoryPort & RequestsPort & WebhooksPort & WorldsPort;

/** A request that was answered well, with what belongs to it. */
export interface Scene {
  exchange: Routed;
  world: World;
  application: Scenery;
}

/** The ids of the path first: they are what the request is about. */
export const toTarget = ({ exchange: { id, route, params, answer }, world, application }: Scene): FaultTarget => ({
  ...{ operation: route.id, ids: [...Object.values(params), ...findIds(answer?.body)] },
  ...{ cause: { kind: "request", id }, world, application },
});

/** In words what was changed; undefined where the answer has nothing that can be. */
export function changeAnswer(scene: Scene, change: NonNullable<Fault["answer"]>): string | undefined {
  const { exchange } = scene;
  const { answer, route } = exchange;
  const response = route.operation.responses.find(({ code }) => code === String(answer?.status));
  // Without a documented body there is nothing to go by.
  const schema = response?.contents?.[0]?.schema as JsonSchema | undefined;
  const keepsSent = change.leave_out === true || change.leave_out_inside === true;
  const changed = schema && changeBody(answer?.body, schema, change, keepsSent ? findSent(scene) : NOTHING);
  if (!changed) return undefined;
  exchange.answer = { ...(answer as Answer), body: changed.body };
  return changed.did;
}

const NOTHING: SentFor = () => [];

/** What clients sent for a record, by this request and by those that the log has. */
function findSent({ exchange: { body, facts }, world, application }: Scene): SentFor {
  return (id) => {
    const before = application.log
      .listRequestsAbout(world.id, id)
      .map((entry) => readSent(readDetails<ExchangeDetails>(entry)));
    // The request itself is not in the log yet.
    return facts.some((fact) => fact.id === id) ? [...before, body] : before;
  };
}

interface AnswerPage {
  next?: string;
  items: readonly unknown[];
}

const readPage = ({ answer }: Routed): AnswerPage => (answer as Answer).body as AnswerPage;

/** Each part by itself: a page may be shorter and end otherwise. */
export async function changePage(
  scene: Scene,
  { short, stuck, hollow, end, change }: NonNullable<Fault["page"]>,
): Promise<string | undefined> {
  const { exchange, application } = scene;
  const did = [
    short ? shorten(exchange, application) : undefined,
    stuck ? repeatCursor(exchange) : undefined,
    hollow ? emptyPage(exchange, application) : undefined,
    end === undefined ? undefined : endPage(exchange, end),
    // Only between two pages: after the last one nobody would see it.
    change && readPage(exchange).next ? await changeList(toTarget(scene)) : undefined,
  ].filter((each) => each !== undefined);
  return did.length === 0 ? undefined : did.join(", and ");
}

/** The first half, with the cursor that a page of that length would have. */
function shorten(exchange: Routed, application: WorldsPort & RequestsPort): string | undefined {
  const { items } = readPage(exchange);
  const limit = Math.floor(items.length / 2);
  // A page of one item can't be halved.
  if (limit === 0) return undefined;
  const { query } = exchange.parameters;
  const isPosted = exchange.route.operation.method === "post";
  const target = isPosted
    ? { ...exchange, body: { ...(exchange.body as object), limit } }
    : { ...exchange, parameters: { ...exchange.parameters, query: { ...query, limit } } };
  // Asked again with half the limit, so that the cursor is one that works.
  const { next } = runOperation(target, application).body as AnswerPage;
  if (next === undefined) return undefined;
  exchange.answer = { ...(exchange.answer as Answer), body: { next, items: items.slice(0, limit) } };
  return `answered ${limit} items of ${items.length}, with a next`;
}

/** Only where a cursor was sent: it leads to this page again. */
function repeatCursor(exchange: Routed): string | undefined {
  const { cursor } = exchange.parameters.query as { cursor?: string };
  if (!cursor) return undefined;
  const { next: _, ...rest } = readPage(exchange);
  exchange.answer = { ...(exchange.answer as Answer), body: { next: cursor, ...rest } };
  return "answered with a next that leads to the same page";
}

/** Without items, and a cursor that leads to them. */
function emptyPage(exchange: Routed, application: WorldsPort & RequestsPort): string | undefined {
  const { query } = exchange.parameters;
  if (!(query as { cursor?: string }).cursor) return undefined;
  const parameters = { ...exchange.parameters, query: { ...query, limit: 0 } };
  const { body } = runOperation({ ...exchange, parameters }, application);
  if ((body as AnswerPage).next === undefined) return undefined;
  exchange.answer = { ...(exchange.answer as Answer), body };
  return "answered a page without items, and a next that leads to them";
}

/** Only the last page says that it is the last. */
function endPage(exchange: Routed, end: "empty" | "absent"): string | undefined {
  const { next, ...rest } = readPage(exchange);
  if (next) return undefined;
  const body = end === "empty" ? { next: "", ...rest } : rest;
  exchange.answer = { ...(exchange.answer as Answer), body };
  return end === "empty" ? "ended the list with an empty next" : "ended the list without a next";
}

// The ids that an answer names.

const ID = /^(?:\w+_)?id$/;

/** In the order of the answer. */
function findIds(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(findIds);
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" && ID.test(name) ? [member] : findIds(member),
  );
}

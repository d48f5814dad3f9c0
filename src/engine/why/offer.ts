// Completes the smallest change for the response: with the full request to send, and with a trial in the current world.

import type { Schemas } from "../../contract/schemas.ts";
import type { HistoryPort } from "../app/application.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { createChangedRequest, createResend, readSentBody, selectResendHeaders } from "../http/control/replay.ts";
import type { RawRequest, Routed } from "../http/exchange.ts";
import { redact, redactHeaders } from "../log/redact.ts";
import type { World } from "../world/state/world.ts";
import type { FoundChange, ProposedChange } from "./solve.ts";
import { runTrial, type TrialPorts } from "./trial.ts";

export type OfferedChange = Schemas["WhyChange"];

interface PastPoint {
  seq: number;
  at: Instant;
  world: World;
}

/** `exchange` is the rejected request; undefined if it can't be sent again. */
export async function offerChange(
  { text, change, tried }: FoundChange,
  exchange: Routed | undefined,
  moment: PastPoint,
  application: TrialPorts & HistoryPort,
): Promise<OfferedChange> {
  const { set, first, at, scopes } = change;
  const parts = {
    text,
    ...(first.length > 0 ? { first: first.map(({ act, input }) => ({ act, input: { ...input } })) } : {}),
    ...(Object.keys(set).length > 0 ? { set: { ...set } } : {}),
    ...(at === undefined ? {} : { at }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    tried,
  };
  // A change that was not tried is advice, so no request is offered.
  if (!tried || !exchange) return parts;
  const works_now = await worksNow(exchange, change, moment, application);
  // The point in time lets the reader fork the world of that time.
  const where = works_now ? undefined : findPastPoint(moment, at, application);
  return { ...parts, request: showRequest(exchange, set), works_now, ...(where ? { moment: where } : {}) };
}

/** Tries the change now, with a new token because the old one may have expired. */
async function worksNow(
  exchange: Routed,
  change: ProposedChange,
  { world }: PastPoint,
  application: TrialPorts & HistoryPort,
): Promise<boolean> {
  const now = application.now(world);
  // The clock can't move back.
  if (change.at !== undefined && change.at < now) return false;
  // The trial runs on a copy, so that it changes nothing.
  const today = application.history.createView(world, now);
  const { rejection } = await runTrial(today, { ...exchange, at: now }, change, application);
  return rejection === undefined;
}

/** Returns the point in time at which the change worked, if the history still has it. */
function findPastPoint({ seq, at, world }: PastPoint, wanted: Instant | undefined, { history }: HistoryPort) {
  if (wanted === undefined) return { seq, at };
  const last = history.findPointAt(world, wanted);
  return last && { seq: last.seq, at: last.at };
}

/** Removes the token, which may have expired and is replaced by a new one. */
const omitToken = ({ authorization: _, ...headers }: Routed["headers"]): Routed["headers"] => headers;

function showRequest(exchange: Routed, set: ProposedChange["set"]): NonNullable<OfferedChange["request"]> {
  const made = createChangedRequest(exchange, set);
  return {
    method: made.method,
    path: made.path,
    query: redact(made.query) as Record<string, unknown>,
    headers: redactHeaders(selectResendHeaders({ ...omitToken(made.headers), host: undefined })),
    body: redact(readSentBody(made)) ?? null,
  };
}

/** Returns the changed request in the form in which it is sent. */
export function toResend(exchange: Routed, set: ProposedChange["set"], headers: Record<string, string>): RawRequest {
  const made = createChangedRequest(exchange, set);
  return createResend({ ...made, headers: omitToken(made.headers) }, headers);
}

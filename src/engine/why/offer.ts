// The smallest change as it is offered: whole, so that who reads it can send it, and tried once more in the world as it is now.

import type { Schemas } from "../../contract/schemas.ts";
import type { HistoryPort } from "../app/application.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { changedRequest, createResend, readSentBody, selectResendHeaders } from "../http/changed-request.ts";
import type { Routed, Sending } from "../http/exchange.ts";
import { redact, redactHeaders } from "../log/redact.ts";
import type { World } from "../world/state/world.ts";
import type { ProposedChange, Solved } from "./solve.ts";
import { type Trying, tryOn } from "./trial.ts";

export type OfferedChange = Schemas["WhyChange"];

interface OfferMoment {
  seq: number;
  at: Instant;
  world: World;
}

/** `exchange`: as it was refused; undefined where it can't be sent again. */
export async function offer(
  { text, change, tried }: Solved,
  exchange: Routed | undefined,
  moment: OfferMoment,
  application: Trying & HistoryPort,
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
  // What was not tried is advice, and no request is offered.
  if (!tried || !exchange) return parts;
  const works_now = await isOkNow(exchange, change, moment, application);
  // Whoever reads it can fork the world as it was then.
  const where = works_now ? undefined : findMoment(moment, at, application);
  return { ...parts, request: requestView(exchange, set), works_now, ...(where ? { moment: where } : {}) };
}

/** A token may have expired since; it is sent with a new one. */
async function isOkNow(
  exchange: Routed,
  change: ProposedChange,
  { world }: OfferMoment,
  application: Trying & HistoryPort,
): Promise<boolean> {
  const now = application.now(world);
  // No clock goes back.
  if (change.at !== undefined && change.at < now) return false;
  // A copy of the present, so that the trial changes nothing.
  const today = application.history.createView(world, now);
  const { rejection } = await tryOn(today, { ...exchange, at: now }, change, application);
  return rejection === undefined;
}

/** The one at which it worked, where it is still kept. */
function findMoment({ seq, at, world }: OfferMoment, wanted: Instant | undefined, { history }: HistoryPort) {
  if (wanted === undefined) return { seq, at };
  const last = history.findPointAt(world, wanted);
  return last && { seq: last.seq, at: last.at };
}

/** Its token may have expired since: it gets a new one. */
const omitToken = ({ authorization: _, ...headers }: Routed["headers"]): Routed["headers"] => headers;

function requestView(exchange: Routed, set: ProposedChange["set"]): NonNullable<OfferedChange["request"]> {
  const made = changedRequest(exchange, set);
  return {
    ...{ method: made.method, path: made.path },
    query: redact(made.query) as Record<string, unknown>,
    headers: redactHeaders(selectResendHeaders({ ...omitToken(made.headers), host: undefined })),
    body: redact(readSentBody(made)) ?? null,
  };
}

/** The changed request as it goes over the wire. */
export function toSending(exchange: Routed, set: ProposedChange["set"], headers: Record<string, string>): Sending {
  const made = changedRequest(exchange, set);
  return createResend({ ...made, headers: omitToken(made.headers) }, headers);
}

// Implements `--rate-limit N/min` with a fixed window of one minute of real time for each client. Assumption: rate-limit.

import type { RequestsPort } from "../app/application.ts";
import type { World } from "../world/state/world.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";

const MINUTE = 60_000;
/** World → windows of its clients. The key is the object and not the id, so that a reset begins new windows. */
const windows = new WeakMap<World, Map<string, { since: number; count: number }>>();

/** Throws 429 for a client that exceeds the limit. */
export function limitRate(exchange: Exchange, application: RequestsPort): void {
  const { rateLimit } = application.settings;
  const { world } = exchange;
  if (rateLimit === undefined || !world || !exchange.key) return;
  const clients = windows.get(world) ?? new Map<string, { since: number; count: number }>();
  windows.set(world, clients);
  const known = clients.get(exchange.key.id);
  // The window uses real time, because the clock of a world may be held.
  const current = known && exchange.started - known.since < MINUTE ? known : { since: exchange.started, count: 0 };
  current.count++;
  clients.set(exchange.key.id, current);
  if (current.count <= rateLimit) return;
  // Clients wait at least a minute, even if the window ends earlier (assumption: rate-limit).
  const seconds = Math.max(60, Math.ceil((current.since + MINUTE - exchange.started) / 1000));
  const message = `Rate limit exceeded: this client sent more than ${rateLimit} requests per minute. Wait at least a minute, then retry.`;
  throw new HttpError(429, message, {
    headers: { "retry-after": String(seconds) },
    rule: "rate-limit",
    values: { limit: rateLimit, count: current.count, seconds },
  });
}

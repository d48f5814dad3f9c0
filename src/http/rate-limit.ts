// `--rate-limit N/min`: a fixed window of one minute of real time for each client. Assumption: rate-limit.

import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { House } from "./house.ts";

const MINUTE = 60_000;
const windows = new WeakMap<House, Map<string, { since: number; count: number }>>();

export function limitRate(exchange: Exchange, house: House): void {
  const { rateLimit } = house.settings;
  if (rateLimit === undefined || !exchange.key) return;
  const clients = windows.get(house) ?? new Map<string, { since: number; count: number }>();
  windows.set(house, clients);
  const known = clients.get(exchange.key.id);
  const current = known && exchange.started - known.since < MINUTE ? known : { since: exchange.started, count: 0 };
  current.count++;
  clients.set(exchange.key.id, current);
  if (current.count <= rateLimit) return;
  const seconds = Math.max(60, Math.ceil((current.since + MINUTE - exchange.started) / 1000));
  throw new HttpError(
    429,
    `More than ${rateLimit} requests a minute by this client. Wait at least a minute, then go on.`,
    {
      headers: { "retry-after": String(seconds) },
    },
  );
}

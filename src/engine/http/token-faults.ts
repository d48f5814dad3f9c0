// Injects faults of tokens: revokes a token when it is used, or issues a short-lived or long one.
import type { Fault, RequestsPort, WorldsPort } from "../app/application.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { World } from "../world/state/world.ts";
import { type Exchange, isRouted, type Routed, readHeader } from "./exchange.ts";
import { noteHits, toOccasion } from "./fault-injection.ts";
import { readBearer } from "./identify.ts";

/** Characters of a signed token with many claims. */
const LONG_TOKEN_LENGTH = 2048;

/** Runs before the token is checked, so that this request is the first that is rejected. */
export function revokeUsedToken(exchange: Routed, application: WorldsPort & RequestsPort): void {
  if (!application.faults.isArmed()) return;
  const bearer = readBearer(readHeader(exchange, "authorization")?.trim() ?? "");
  const used = bearer === undefined ? undefined : application.findToken(bearer);
  if (!used) return;
  const { world, token } = used;
  const chance = { ...toOccasion(exchange, "use"), client: token.client_id };
  const hits = application.faults.apply(world.id, chance, () => {
    const cause = { kind: "request", id: exchange.id } as const;
    // The token expires and is not removed, so that the response can name the reason.
    application.change(world, cause, (tx) => tx.tokens.put({ ...token, expires_at: tx.now }));
    return "revoked the token of the request";
  });
  noteHits(exchange, hits);
}

export interface Issued {
  seconds: number;
  token: string;
}

/** Changes a token that is issued by the armed faults of the world. */
export function applyTokenFaults(
  issued: Issued,
  exchange: Exchange,
  { world, key }: { world: World; key: Key },
  { faults, random }: WorldsPort & RequestsPort,
): Issued {
  if (!isRouted(exchange) || !faults.isArmed(world.id)) return issued;
  const made = { ...issued };
  const chance = { ...toOccasion(exchange, "issue"), client: key.id };
  const hits = faults.apply(world.id, chance, ({ token }) => changeToken(made, token, () => random.token(world.id)));
  noteHits(exchange, hits);
  return made;
}

function changeToken(made: Issued, { expires_in, form }: NonNullable<Fault["token"]> = {}, more: () => string): string {
  if (expires_in !== undefined) made.seconds = expires_in;
  if (form === "long") made.token = createLongToken(made.token, more);
  const lifetime = expires_in === undefined ? [] : [`lives ${expires_in} seconds`];
  const length = form === "long" ? [`has ${LONG_TOKEN_LENGTH} characters`] : [];
  return `issued a token that ${[...lifetime, ...length].join(" and ")}`;
}

/** Extends the random part of a token, after the last dot. */
function createLongToken(first: string, more: () => string): string {
  let token = first;
  while (token.length < LONG_TOKEN_LENGTH) token += more().replace(/^.*\./, "");
  return token.slice(0, LONG_TOKEN_LENGTH);
}

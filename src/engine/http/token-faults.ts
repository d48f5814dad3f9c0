// Faults of tokens: one that is revoked as it is used, and one that is issued short-lived or long.
import type { Fault, RequestsPort, WorldsPort } from "../app/application.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { World } from "../world/state/world.ts";
import { type Exchange, header, isRouted, type Routed } from "./exchange.ts";
import { chanceOf, tell } from "./fault-injection.ts";
import { bearerIn } from "./identify.ts";

/** As many characters as a signed token with many claims has. */
const LONG = 2048;

/** Before the token is looked at, so that the request itself is the first that is refused. It is kept until it is cleared away. */
export function revokeUsedToken(exchange: Routed, application: WorldsPort & RequestsPort): void {
  // Asked with every request.
  if (!application.faults.isArmed()) return;
  const bearer = bearerIn(header(exchange, "authorization")?.trim() ?? "");
  const used = bearer === undefined ? undefined : application.tokenOf(bearer);
  if (!used) return;
  const { world, token } = used;
  const chance = { ...chanceOf(exchange, "use"), client: token.client_id };
  const hits = application.faults.apply(world.id, chance, () => {
    const cause = { kind: "request", id: exchange.id } as const;
    // Expired and not removed, so that the answer can say which it is.
    application.change(world, cause, (tx) => tx.tokens.put({ ...token, expires_at: tx.now }));
    return "revoked the token of the request";
  });
  tell(exchange, hits);
}

export interface Issued {
  seconds: number;
  token: string;
}

/** What is issued, as the faults of this world want it. */
export function faultyToken(
  issued: Issued,
  exchange: Exchange,
  { world, key }: { world: World; key: Key },
  { faults, random }: WorldsPort & RequestsPort,
): Issued {
  if (!isRouted(exchange) || !faults.isArmed(world.id)) return issued;
  const made = { ...issued };
  const chance = { ...chanceOf(exchange, "issue"), client: key.id };
  tell(
    exchange,
    faults.apply(world.id, chance, ({ token }) => didTo(made, token, () => random.token(world.id))),
  );
  return made;
}

function didTo(made: Issued, { expires_in, form }: NonNullable<Fault["token"]> = {}, more: () => string): string {
  if (expires_in !== undefined) made.seconds = expires_in;
  if (form === "long") made.token = longToken(made.token, more);
  const words = [
    expires_in === undefined ? undefined : `lives ${expires_in} seconds`,
    form === "long" ? `has ${LONG} characters` : undefined,
  ];
  return `issued a token that ${words.filter(Boolean).join(" and ")}`;
}

/** What follows the last dot, which ends the name of the world, is longer. */
function longToken(first: string, more: () => string): string {
  let token = first;
  while (token.length < LONG) token += more().replace(/^.*\./, "");
  return token.slice(0, LONG);
}

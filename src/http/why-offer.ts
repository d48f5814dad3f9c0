// The smallest change as it is offered: whole, so that who reads it can send it, and tried once more in the world as it is now.
import type { Application } from "../app/application.ts";
import type { Change, Solved } from "../app/why/solve.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { components } from "../generated/control.ts";
import type { World } from "../world/state/world.ts";
import { bodyOf, changedRequest } from "./changed-request.ts";
import type { Routed, Sending } from "./exchange.ts";
import { redacted, redactedHeaders } from "./request-log-shown.ts";
import { tryOn } from "./trial.ts";

type Offered = components["schemas"]["WhyChange"];

/** Of the connection, or of bytes and tokens that are made anew. */
const NOT_AGAIN =
  /^(authorization|connection|content-encoding|content-length|expect|keep-alive|sandbox-observer|te|transfer-encoding|upgrade)$/;

interface Moment {
  seq: number;
  at: Instant;
  world: World;
}

/** `exchange`: as it was refused; undefined where it can't be sent again. */
export async function offered(
  { text, change, tried }: Solved,
  exchange: Routed | undefined,
  moment: Moment,
  application: Application,
): Promise<Offered> {
  const { set, first, at, scopes } = change;
  const parts = {
    text,
    ...(first.length > 0 ? { first: first.map(({ act, input }) => ({ act, input: { ...input } })) } : {}),
    ...(Object.keys(set).length > 0 ? { set: { ...set } } : {}),
    ...(at === undefined ? {} : { at }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    tried,
  };
  if (!tried || !exchange) return parts;
  const works_now = await worksNow(exchange, change, moment, application);
  const where = works_now ? undefined : momentOf(moment, at, application);
  return { ...parts, request: requestShown(exchange, set), works_now, ...(where ? { moment: where } : {}) };
}

/** A token may have expired since; it is sent with a new one. */
async function worksNow(
  exchange: Routed,
  change: Change,
  { world }: Moment,
  application: Application,
): Promise<boolean> {
  const now = application.now(world);
  if (change.at !== undefined && change.at < now) return false;
  const today = application.history.viewAt(world, { seq: Number.POSITIVE_INFINITY, at: now });
  const scopes = change.scopes ?? (exchange.key ? exchange.scopes : undefined);
  const { refused } = await tryOn(
    today,
    { ...exchange, at: now },
    { ...change, ...(scopes ? { scopes } : {}) },
    application,
  );
  return refused === undefined;
}

/** The one at which it worked, where it is still kept. */
function momentOf({ seq, at, world }: Moment, wanted: Instant | undefined, { history }: Application) {
  if (wanted === undefined) return { seq, at };
  const { commits } = { commits: history.commits(world) };
  const last = commits.findLast((commit) => commit.at <= wanted);
  return last && { seq: last.seq, at: last.at };
}

const headersOf = ({ headers }: Pick<Routed, "headers">): Routed["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_AGAIN.test(name)));

function requestShown(exchange: Routed, set: Change["set"]): NonNullable<Offered["request"]> {
  const made = changedRequest(exchange, set);
  return {
    ...{ method: made.method, path: made.path },
    query: redacted(made.query) as Record<string, unknown>,
    headers: redactedHeaders(headersOf({ headers: { ...made.headers, host: undefined } })),
    body: redacted(bodyOf(made)) ?? null,
  };
}

/** The changed request as it goes over the wire. */
export function sendingOf(exchange: Routed, set: Change["set"], headers: Record<string, string>): Sending {
  const made = changedRequest(exchange, set);
  const pairs = Object.entries(made.query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
  const length = made.raw === undefined ? {} : { "content-length": String(made.raw.length) };
  return {
    ...{ method: made.method, target: `${made.path}${search}`, raw: made.raw },
    headers: { ...(headersOf(made) as Sending["headers"]), ...length, ...headers },
  };
}

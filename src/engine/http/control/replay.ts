// A logged request sent again, in the world as it is now: what the log has of it, with a new token of the same key.

import type { Schemas } from "../../../contract/schemas.ts";
import { REDACTED } from "../../../platform/redacted.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import type { World } from "../../world/state/world.ts";
import { changeParts, createResend, encodeBody, findTemplate, type RequestParts } from "../changed-request.ts";
import { HttpError } from "../errors.ts";
import { grantToken } from "../token.ts";
import { handlersWith, ok, type Requested } from "./handler.ts";
import { watching } from "./watching.ts";

type Logged = Schemas["JournalRequest"];

export const replay = handlersWith<WorldsPort & RequestsPort>()({
  async replayRequest(requested) {
    const { exchange, body } = requested;
    const world = requested.world;
    const logged = await loggedIn(requested);
    const { body: changed, ...parts } = changeLogged(logged, body?.set ?? {});
    assertComplete(changed, logged.id);
    const raw = encodeBody(changed, String(parts.headers["content-type"]));
    // The old one is in the log only as a hash, and may have expired.
    const token = tokenFor(logged, world, requested);
    const sending = createResend(
      { ...parts, method: logged.method, raw },
      {
        "sandbox-replay-of": logged.id,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    );
    if (!exchange.again) throw new Error("this request can't send another");
    return ok(await exchange.again(sending));
  },
});

function changeLogged({ id, operation, path, request }: Logged, set: Record<string, unknown>) {
  const template = findTemplate(operation);
  const inBody = Object.keys(set).filter((name) => !/^(query|path|header)\./.test(name));
  const hasMembers = typeof request.body === "object" && request.body !== null;
  if (inBody.length > 0 && !hasMembers) return rejectMembers(id, template, inBody);
  const { query, headers, body } = request;
  return changeParts({ id, path, params: {}, query, headers, body } as RequestParts, template, set);
}

/** Other parts of a request than its body are named with their section. */
function rejectMembers(id: string, template: string, names: readonly string[]): never {
  const inPath = names.find((name) => template.includes(`{${name}}`));
  const advice =
    inPath === undefined
      ? "Name a parameter with its section: query.limit, path.bookingId, header.accept-language."
      : `${inPath} is a parameter of its path. Name it path.${inPath}.`;
  return reject("INVALID_INPUT", {
    path: `body.set.${inPath ?? names[0]}`,
    what: `the request ${id.slice(0, 60)} has no JSON body. ${advice}`,
  });
}

async function loggedIn(requested: Requested<"replayRequest">): Promise<Logged> {
  // As the log shows it, with its redactions.
  const answer = await watching.getRequest(
    requested as unknown as Requested<"getRequest", WorldsPort & RequestsPort & HistoryPort>,
  );
  return answer.body as Logged;
}

/** A request without a key goes without one again. */
function tokenFor(
  { client_id, scopes }: Logged,
  world: World,
  requested: Requested<"replayRequest", WorldsPort & RequestsPort>,
) {
  const { exchange, application } = requested;
  if (client_id === null || !scopes) return undefined;
  const key = world.credentials().keys.get(client_id);
  if (key) return grantToken(exchange, { world, key, scopes }, application).access_token;
  const message = `The world ${world.id} has no key ${client_id.slice(0, 100)} any more, so the request can't be sent with it again.`;
  throw new HttpError(409, message, { code: "KEY_GONE" });
}

function assertComplete(body: unknown, id: string): void {
  const hidden = hiddenIn(body, "");
  if (hidden === undefined) return;
  const what = hidden === "" ? "a secret in its body" : `its ${hidden}`;
  const message = `The log does not keep ${what} of the request ${id}, so it can't be sent again as it was. Set that member anew, or send the request yourself.`;
  throw new HttpError(409, message, { code: "NOT_KEPT" });
}

/** The path of what the log has redacted. */
function hiddenIn(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = hiddenIn(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

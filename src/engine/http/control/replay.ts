// Resends a logged request in the current world, with a new token of the same key.

import type { Schemas } from "../../../contract/schemas.ts";
import { REDACTED } from "../../../platform/redacted.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import type { World } from "../../world/state/world.ts";
import { encodeBody } from "../body.ts";
import { changeParts, createResend, type RequestParts } from "../changed-request.ts";
import { HttpError } from "../errors.ts";
import { findRoute } from "../routes.ts";
import { grantToken } from "../token.ts";
import { defineHandlers, ok, type Requested } from "./handler.ts";
import { findLogged } from "./watching.ts";

type Logged = Schemas["JournalRequest"];

export const replay = defineHandlers({
  async replayRequest(requested) {
    const { exchange, body, world, application, path } = requested;
    const logged = findLogged(world, path.requestId, application);
    const { body: changed, ...parts } = changeLogged(logged, body?.set ?? {});
    assertComplete(changed, logged.id);
    const raw = encodeBody(changed, String(parts.headers["content-type"]));
    // The log has only a hash of the former token, which may have expired.
    const token = createToken(logged, world, requested);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const more = { "sandbox-replay-of": logged.id, ...authorization };
    const sending = createResend({ ...parts, method: logged.method, raw }, more);
    if (!exchange.resend) throw new Error("this request can't send another");
    return ok(await exchange.resend(sending));
  },
});

function changeLogged({ id, operation, path, request }: Logged, set: Record<string, unknown>) {
  const template = findRoute(operation)?.operation.path ?? "";
  const inBody = Object.keys(set).filter((name) => !/^(query|path|header)\./.test(name));
  const hasMembers = typeof request.body === "object" && request.body !== null;
  if (inBody.length > 0 && !hasMembers) return rejectMembers(id, template, inBody);
  const { query, headers, body } = request;
  return changeParts({ id, path, params: {}, query, headers, body } as RequestParts, template, set);
}

/** Rejects fields of a missing body, and explains how to name other parts of the request. */
function rejectMembers(id: string, template: string, names: readonly string[]): never {
  const inPath = names.find((name) => template.includes(`{${name}}`));
  const advice =
    inPath === undefined
      ? "Name a parameter with its section: query.limit, path.bookingId, header.accept-language."
      : `${inPath} is a parameter of its path. Name it path.${inPath}.`;
  return rejectInput(`body.set.${inPath ?? names[0]}`, `the request ${id.slice(0, 60)} has no JSON body. ${advice}`);
}

/** Creates a token for the key of the request; undefined for a request without a key. */
function createToken({ client_id, scopes }: Logged, world: World, requested: Requested<"replayRequest">) {
  const { exchange, application } = requested;
  if (client_id === null || !scopes) return undefined;
  const key = world.credentials().keys.get(client_id);
  if (key) return grantToken(exchange, { world, key, scopes }, application).access_token;
  const message = `The world ${world.id} has no key ${client_id.slice(0, 100)} any more, so the request can't be sent with it again.`;
  throw new HttpError(409, message, { code: "KEY_GONE" });
}

function assertComplete(body: unknown, id: string): void {
  const hidden = findRedacted(body, "");
  if (hidden === undefined) return;
  const what = hidden === "" ? "a secret in its body" : `its ${hidden}`;
  const message = `The log does not keep ${what} of the request ${id}, so it can't be sent again unchanged. Set that field again, or send the request yourself.`;
  throw new HttpError(409, message, { code: "NOT_KEPT" });
}

/** Finds the path of a redacted value. */
function findRedacted(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findRedacted(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Serves the Model Context Protocol over HTTP, and passes each message to its session.
import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, readHeader } from "../exchange.ts";
import { getWorld, resolveNamedWorld } from "../named-world.ts";
import { defineHandlers, done } from "./handler.ts";
import { readSentToken } from "./presented-credentials.ts";

/** Finds the token of the caller, if there are accounts. A session has only the rights of its caller. */
function findToken({ caller, headers }: Exchange): string | undefined {
  if (!caller || caller.account === null) return undefined;
  const token = readSentToken(headers);
  if (token !== undefined) return token;
  throw new HttpError(
    403,
    "A session needs a token: send `Authorization: Bearer <token>`. The cookie of a browser is not enough.",
  );
}

export const mcp = defineHandlers<RequestsPort & WorldsPort>()({
  async sendMcpMessage({ application, exchange, body }) {
    const session = readHeader(exchange, "mcp-session-id");
    // The world is only read at the start of a session, because it may be on another node later.
    const named = session === undefined ? resolveNamedWorld(exchange) : undefined;
    const {
      status,
      session: answered,
      rejection,
      body: answer,
    } = await application.mcp.ask({
      session,
      protocol: readHeader(exchange, "mcp-protocol-version"),
      body,
      token: findToken(exchange),
      account: exchange.caller?.account ?? undefined,
      world: named && getWorld(application, named).id,
    });
    if (rejection !== undefined) throw new HttpError(status, rejection);
    return { status, headers: answered === undefined ? {} : { "mcp-session-id": answered }, body: answer };
  },
  async endMcpSession({ application, exchange }) {
    const session = readHeader(exchange, "mcp-session-id");
    if (session === undefined) throw new HttpError(400, "The header mcp-session-id is missing: it names the session.");
    if (await application.mcp.end(session, exchange.caller?.account ?? undefined)) return done;
    throw new HttpError(404, `There is no session ${session.slice(0, 120)}. It has ended already.`);
  },
});

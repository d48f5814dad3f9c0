// The Model Context Protocol over HTTP: each message goes to the session that it names.
import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, header } from "../exchange.ts";
import { getWorld, resolveNamedWorld } from "../named-world.ts";
import { done, handlersWith } from "./handler.ts";
import { presentedToken } from "./presented-credentials.ts";

/** Where there are accounts, a session does no more than the caller who opens it. */
function findToken({ caller, headers }: Exchange): string | undefined {
  if (!caller || caller.account === null) return undefined;
  const token = presentedToken(headers);
  if (token !== undefined) return token;
  throw new HttpError(
    403,
    "A session needs a token: send `Authorization: Bearer <token>`. The cookie of a browser is not enough.",
  );
}

export const mcp = handlersWith<RequestsPort & WorldsPort>()({
  async sendMcpMessage({ application, exchange, body }) {
    const session = header(exchange, "mcp-session-id");
    // Only where one begins: afterwards the world may be on another node.
    const named = session === undefined ? resolveNamedWorld(exchange) : undefined;
    const {
      status,
      session: answered,
      rejection,
      body: answer,
    } = await application.mcp.ask({
      session,
      protocol: header(exchange, "mcp-protocol-version"),
      body,
      token: findToken(exchange),
      account: exchange.caller?.account ?? undefined,
      world: named && getWorld(application, named).id,
    });
    if (rejection !== undefined) throw new HttpError(status, rejection);
    return { status, headers: answered === undefined ? {} : { "mcp-session-id": answered }, body: answer };
  },
  async endMcpSession({ application, exchange }) {
    const session = header(exchange, "mcp-session-id");
    if (session === undefined) throw new HttpError(400, "The header mcp-session-id is missing: it names the session.");
    if (await application.mcp.end(session, exchange.caller?.account ?? undefined)) return done;
    throw new HttpError(404, `There is no session ${session.slice(0, 120)}. It has ended already.`);
  },
});

// The Model Context Protocol over HTTP: messages are handed on to the session that they name.

import { HttpError } from "../errors.ts";
import { header } from "../exchange.ts";
import { namedWorld, worldCalled } from "../named-world.ts";
import { done, type Handlers } from "./handler.ts";

export const mcp: Handlers = {
  async sendMcpMessage({ application, exchange, body }) {
    const named = namedWorld(exchange);
    const told = await application.mcp.ask({
      session: header(exchange, "mcp-session-id"),
      protocol: header(exchange, "mcp-protocol-version"),
      body,
      world: named && worldCalled(application, named).id,
    });
    if (told.refusal !== undefined) throw new HttpError(told.status, told.refusal);
    const headers = told.session === undefined ? {} : { "mcp-session-id": told.session };
    return { status: told.status, headers, body: told.body };
  },
  async endMcpSession({ application, exchange }) {
    const session = header(exchange, "mcp-session-id");
    if (session === undefined) throw new HttpError(400, "The header mcp-session-id is missing: it names the session.");
    if (!(await application.mcp.end(session)))
      throw new HttpError(404, `There is no session ${session.slice(0, 60)}. It has ended already.`);
    return done;
  },
};

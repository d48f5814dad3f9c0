// A server that no port leads to: requests of this process reach it over a connection in memory, through the same parser and limits as
// over the network.
import { request as ask, type IncomingMessage } from "node:http";
import { type Duplex, duplexPair, Readable } from "node:stream";
import { type Listener, serverOf } from "./serve.ts";

/** What an address needs to be one; nothing listens there. */
export const NO_PORT = "http://localhost";

export interface InProcess {
  send(request: Request): Promise<Response>;
  /** Cuts off what is under way. */
  close(): void;
}

export function inProcess(app: Listener): InProcess {
  const server = serverOf(app);
  const open = new Set<Duplex>();
  return {
    async send(request) {
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      return new Promise((resolve, reject) => {
        const [client, other] = duplexPair();
        open.add(client);
        client.once("close", () => open.delete(client));
        server.emit("connection", other);
        const { pathname, search, host } = new URL(request.url);
        const headers = { host, ...Object.fromEntries(request.headers) };
        const sent = ask({ createConnection: () => client, method: request.method, path: pathname + search, headers });
        sent.once("response", (message) => resolve(responseOf(message)));
        sent.once("error", (cause) => reject(new TypeError("fetch failed", { cause })));
        sent.end(body);
      });
    },
    close() {
      for (const client of open) client.destroy();
    },
  };
}

/** Statuses whose responses have no body (Fetch, "null body status"). */
const WITHOUT_BODY = [101, 103, 204, 205, 304];

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 500, rawHeaders } = message;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  if (WITHOUT_BODY.includes(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as ReadableStream, { status, headers });
}

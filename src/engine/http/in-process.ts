// A server that no port leads to: requests of this process reach it over a connection in memory, through the same parser and limits as
// over the network.
import { request as ask, type IncomingMessage } from "node:http";
import { Duplex, Readable } from "node:stream";
import type { RequestListener } from "./cross-origin.ts";
import { serverOf } from "./serve.ts";

/** What an address needs to be one; nothing listens there. */
export const NO_PORT = "http://localhost";

interface InProcess {
  send(request: Request): Promise<Response>;
  /** Cuts off what is under way. */
  close(): void;
}

/** The two ends of a connection. Node 22.0 to 22.5, which `engines` allows, have no `duplexPair`. */
function connection(): [client: Duplex, server: Duplex] {
  const end = (other: () => Duplex): Duplex =>
    new Duplex({
      read() {},
      write(piece, _, written) {
        other().push(piece);
        written();
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const client: Duplex = end(() => server);
  const server: Duplex = end(() => client);
  return [client, server];
}

/** `send` takes what fetch takes, and answers what fetch answers. */
export function inProcess(app: RequestListener): InProcess {
  const server = serverOf(app);
  const open = new Set<Duplex>();
  return {
    async send(request) {
      // Read first: a request of node:http must know its length.
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      return new Promise((resolve, reject) => {
        const [client, other] = connection();
        open.add(client);
        client.once("close", () => open.delete(client));
        server.emit("connection", other);
        const { pathname, search, host } = new URL(request.url);
        const headers = { host, ...Object.fromEntries(request.headers) };
        const sent = ask({ createConnection: () => client, method: request.method, path: pathname + search, headers });
        sent.once("response", (message) => resolve(responseOf(message)));
        // The very error that fetch rejects with.
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
  // Raw, since Node joins those that come several times.
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  if (WITHOUT_BODY.includes(status)) {
    // Or the connection would stay open.
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as ReadableStream, { status, headers });
}

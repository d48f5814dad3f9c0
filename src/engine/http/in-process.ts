// Serves requests of this process over a connection in memory instead of a port, with the same parser and limits as
// over the network.
import type { RequestListener } from "node:http";
import { Duplex } from "node:stream";
import { requestOnce } from "../../platform/send-request.ts";
import { createServer } from "./serve.ts";

/** The base URL of requests. Nothing listens there. */
export const NO_PORT = "http://localhost";

interface InProcess {
  send(request: Request): Promise<Response>;
  /** Aborts requests in progress. */
  close(): void;
}

/** The longest delay of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * An end of a connection with the methods of a socket that the server uses. Node 22.0 to 22.5, which `engines` allows,
 * have no `duplexPair`.
 */
class ConnectionEnd extends Duplex {
  readonly #peer: () => ConnectionEnd;

  constructor(peer: () => ConnectionEnd) {
    super();
    this.#peer = peer;
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.#peer().push(piece);
    done();
  }

  override _final(done: () => void): void {
    this.#peer().push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The peer of a socket reads its end when the other side is destroyed.
    this.#peer().push(null);
    done(error);
  }

  resetAndDestroy(): void {
    this.#peer().destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    this.destroy();
  }

  /** Connections in memory don't fail silently, so they need no timeout. */
  setTimeout(): this {
    return this;
  }
}

/** Creates a server in memory. `send` behaves like fetch. */
export function createInProcessServer(app: RequestListener): InProcess {
  const server = createServer(app);
  const open = new Set<Duplex>();
  return {
    async send(request) {
      const client: ConnectionEnd = new ConnectionEnd(() => other);
      const other: ConnectionEnd = new ConnectionEnd(() => client);
      // An open socket would keep the process alive while the caller waits for the response.
      const keepAlive = setInterval(() => undefined, MAX_TIMER_MS);
      open.add(client);
      client.once("close", () => {
        clearInterval(keepAlive);
        open.delete(client);
      });
      server.emit("connection", other);
      return requestOnce(request, { createConnection: () => client }).catch((reason) => {
        client.destroy();
        throw reason;
      });
    },
    close() {
      for (const client of open) client.destroy();
    },
  };
}

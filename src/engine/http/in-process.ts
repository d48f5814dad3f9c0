// A server that no port leads to: requests of this process reach it over a connection in memory, through the same parser and limits as
// over the network.
import { Duplex } from "node:stream";
import { exchange } from "../../platform/send-request.ts";
import type { RequestListener } from "./cross-origin.ts";
import { serverOf } from "./serve.ts";

/** What an address needs to be one; nothing listens there. */
export const NO_PORT = "http://localhost";

interface InProcess {
  send(request: Request): Promise<Response>;
  /** Cuts off what is under way. */
  close(): void;
}

/** The longest delay of a timer in Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
      const [client, other] = connection();
      // A caller waits for the response, and nothing else may keep the process alive until it is there, as a socket would.
      const keepAlive = setInterval(() => undefined, LONGEST_TIMER_MS);
      open.add(client);
      client.once("close", () => {
        clearInterval(keepAlive);
        open.delete(client);
      });
      server.emit("connection", other);
      return exchange(request, { createConnection: () => client }).catch((reason) => {
        client.destroy();
        throw reason;
      });
    },
    close() {
      for (const client of open) client.destroy();
    },
  };
}

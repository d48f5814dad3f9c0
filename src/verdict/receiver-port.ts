// Where a receiver of the program listens: a free port for it, and whether it is there yet.
import { connect, createServer } from "node:net";
import { unwrapHost } from "../platform/unbracketed.ts";

/** A receiver that somebody else has subscribed may still be starting. */
export function listens(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === "https:" ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host: unwrapHost(hostname), port: Number(port || defaultPort) });
    // A connection and nothing more: the receiver sees no request.
    const found = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once("connect", () => found(true));
    socket.once("error", () => found(false));
  });
}

/** Free now; somebody else may take it before the program does. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

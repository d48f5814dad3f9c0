// Starts a server of a test on a free port of this machine, for example as a receiver of webhooks.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  url: string;
  close(): void;
}

export async function startLocalServer(answer: RequestListener): Promise<LocalServer> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}

// Receives webhooks: what came, by the id of its message. It may refuse some, or never answer.

import { once } from "node:events";
import { createServer } from "node:http";

export interface ReceivedRequest {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape
  body: any;
  at: number;
}

export interface Receiver {
  url: string;
  came: ReceivedRequest[];
  close(): void;
}

/** A status of 0 is no answer. */
export async function receive(status: (received: ReceivedRequest) => number = () => 200): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    const one = { id: String(request.headers["webhook-id"]), type: body.type, body, at: performance.now() };
    received.push(one);
    const answer = status(one);
    if (answer > 0) response.writeHead(answer).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    came: received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Receives webhooks: what came, by the id of its message. It may refuse some, or never answer.
import { startLocalServer } from "../local-server.ts";

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
  const { url, close } = await startLocalServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    const one = { id: String(request.headers["webhook-id"]), type: body.type, body, at: performance.now() };
    received.push(one);
    const answer = status(one);
    if (answer > 0) response.writeHead(answer).end();
  });
  return { url: `${url}/hook`, came: received, close };
}

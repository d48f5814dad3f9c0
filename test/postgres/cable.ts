// A connection between a node and PostgreSQL that can be stalled, cut, or cut as a statement is under way.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Cable {
  /** The address of a database, by way of this. */
  through(database: string): string;
  /** Nothing gets through any more, and nobody is told. */
  stall(): void;
  /** Every connection ends, and new ones are refused, until it is mended. */
  cut(): void;
  /** The next statement with these words gets there, and its answer does not come back: the connection ends. Resolves then. */
  cutAfter(words: string): Promise<void>;
  mend(): void;
  /** Later connections go to this port. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

export async function layCable(to: number): Promise<Cable> {
  let port = to;
  const pairs = new Set<readonly [Socket, Socket]>();
  let [isCut, isStalled] = [false, false];
  let awaited: { words: string; found: () => void } | undefined;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      for (const socket of pair) socket.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.setNoDelay(true).on("error", end).on("close", end);
    near.on("data", (chunk) => {
      if (!awaited || !chunk.includes(awaited.words)) return void far.write(chunk);
      const { found } = awaited;
      awaited = undefined;
      near.destroy();
      far.removeListener("data", back);
      far.write(chunk, () => setTimeout(end, 50));
      found();
    });
    const back = (chunk: Buffer) => void near.write(chunk);
    far.on("data", back);
    if (isStalled) for (const socket of pair) socket.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as { port: number }).port;
  const each = (what: (socket: Socket) => void) => {
    for (const pair of [...pairs]) for (const socket of pair) what(socket);
  };
  return {
    through: (database) => Object.assign(new URL(database), { port: String(own) }).href,
    stall() {
      isStalled = true;
      each((socket) => socket.pause());
    },
    cut() {
      isCut = true;
      each((socket) => socket.destroy());
    },
    cutAfter: (words) =>
      new Promise((found) => {
        awaited = { words, found };
      }),
    mend() {
      [isCut, isStalled] = [false, false];
      each((socket) => socket.resume());
    },
    leadTo(other) {
      port = other;
    },
    async close() {
      each((socket) => socket.destroy());
      server.close();
    },
  };
}

// One request on its way: it ends exactly once, however it goes, and never later than its time-out. Assumptions: delivery-success,
// delivery-order (when it has left).
import type { ClientRequest } from "node:http";
import { readAnswer } from "./answer.ts";
import type { Reply } from "./attempt.ts";
import { Blocked } from "./targets.ts";
import { errorOf } from "./words.ts";

export interface Flight {
  reply: Promise<Reply>;
  /** Whatever leaves now arrives after it; or it takes so long that others should not wait for it. */
  left: Promise<void>;
  abort(): void;
}

type Ending = Exclude<Reply["outcome"], "ANSWERED">;

const PATIENCE_MS = 1000;

export function fly(send: () => ClientRequest, host: string, timeoutMs: number): Flight {
  let request: ClientRequest | undefined;
  let over = false;
  let soFar = (): Reply["answer"] => null;
  const [reply, end] = promised<Reply>();
  const [left, leave] = promised<void>();
  const patience = setTimeout(leave, PATIENCE_MS);
  const timer = setTimeout(() => fail("TIMED_OUT", `${host} did not answer within ${timeoutMs / 1000} s.`), timeoutMs);

  function finish(ended: Reply): void {
    over = true;
    clearTimeout(timer);
    clearTimeout(patience);
    // In this order: what comes of it is known before the next one leaves.
    end(ended);
    leave();
  }
  function fail(outcome: Ending, error: string): void {
    if (!over) finish({ outcome, answer: soFar(), error });
    request?.destroy();
  }
  function attempt(): void {
    const sent = send();
    let heard = false;
    request = sent;
    // On a new connection it may be read after one that is sent later on an old connection, until it is answered.
    sent.on("finish", () => sent.reusedSocket && leave());
    sent.on("response", async (response) => {
      heard = true;
      const reading = readAnswer(response);
      soFar = reading.soFar;
      if (await reading.whole) finish({ outcome: "ANSWERED", answer: soFar() });
      else fail("UNREACHABLE", `${host} closed the connection before its answer was complete.`);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (!over && wasStale(sent, error)) attempt();
      else fail(error instanceof Blocked ? "BLOCKED" : "UNREACHABLE", errorOf(error, host));
    });
    sent.on("upgrade", (_, socket) => socket.destroy());
    sent.on("close", () => {
      if (sent === request && !heard) fail("UNREACHABLE", `${host} closed the connection without an answer.`);
    });
  }

  attempt();
  return { reply, left, abort: () => fail("ABORTED", "The sandbox was stopped.") };
}

/** A kept connection that the receiver had closed in the meantime: not its refusal, so it is asked again on another. */
function wasStale(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

function promised<T>(): [Promise<T>, (value: T) => void] {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((good) => {
    resolve = good;
  });
  return [promise, resolve];
}

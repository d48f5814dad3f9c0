// The sandbox that contains the worlds of the library, and how to send requests to it.
import { ClosedError } from "./errors.ts";

export interface Origin {
  url: string;
  controlUrl: string;
  controlToken: string;
  send(request: Request): Promise<Response>;
  isClosed(): boolean;
  /** The ids of worlds to remove on close. Undefined if the worlds end with the sandbox. */
  worlds?: Set<string>;
}

/** Creates a function that rejects with a ClosedError once the sandbox is closed, also for requests in progress. */
export function createSend(
  url: string,
  isClosed: () => boolean,
  send: (request: Request) => Promise<Response>,
): Origin["send"] {
  return async (request) => {
    if (isClosed()) throw new ClosedError(url);
    return send(request).catch((reason: unknown) => {
      throw isClosed() ? new ClosedError(url) : reason;
    });
  };
}

// Where the worlds of the library are, and how requests get there.
import { ClosedError } from "./errors.ts";

export interface Origin {
  url: string;
  controlUrl: string;
  controlToken: string;
  send(request: Request): Promise<Response>;
  isClosed(): boolean;
  /** The worlds that were made here and not removed, where the end of the sandbox does not take them along. */
  worlds?: Set<string>;
}

/** Sends until the sandbox is closed; a request that the end cuts off says so too. */
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

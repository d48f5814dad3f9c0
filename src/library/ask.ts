// Sends the library's requests to the sandbox of its worlds, and unwraps the responses with errors that name arguments and methods.
import { type HttpOutcome, unwrap as unwrapControl } from "../client/control.ts";
import { type ErrorNames, formatError, nameMember, SandboxError } from "../client/sandbox-error.ts";
import { ClosedError } from "./errors.ts";

const METHODS: Readonly<Record<string, string>> = {
  "GET /_sandbox/faults": "faults.list()",
  "GET /_sandbox/log": "log()",
  "GET /_sandbox/messages": "webhooks.all()",
  "GET /_sandbox/requests": "requests()",
};

/** Options of a world by their field in the control API, if the name differs. */
const OPTIONS: Readonly<Record<string, string>> = {
  subscription_id: "to",
  webhook_events: "webhookEvents",
  webhook_url: "webhookUrl",
};

const NAMES: ErrorNames = {
  value(error) {
    const name = nameMember(error);
    return OPTIONS[name] ?? (name || "input");
  },
  list: (request) => METHODS[request],
};

const TOKEN_ADVICE = "Give the token as `controlToken` or in SANDBOX_CONTROL_TOKEN.";

/** Rethrows an error of the control API in the terms of the library. */
export function rethrow(error: unknown): never {
  if (!(error instanceof SandboxError)) throw error;
  const { status, code } = error;
  const message = formatError(error, NAMES);
  throw new SandboxError(status, code, status === 401 ? `${message} ${TOKEN_ADVICE}` : message, error);
}

export const unwrap = <T>(call: Promise<HttpOutcome<T>>): Promise<T> => unwrapControl(call).catch(rethrow);

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

// The typed client of the control API, which the command line, the library, the console and the scenario player share. Each of them decides
// how to handle an error response.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../contract/generated/control.ts";
import type { Schemas } from "../contract/schemas.ts";
import { encodeSegment } from "../platform/path-segment.ts";
import { SandboxError } from "./sandbox-error.ts";

export type { Schemas } from "../contract/schemas.ts";

export type Control = Client<paths>;

/** The address of a sandbox and how to send requests to it. */
export interface Server {
  /** The base address of the sandbox, without `/_sandbox`. */
  url: string;
  controlToken?: string | undefined;
  /** Set if a person sends the requests from a terminal. */
  byHand?: boolean;
  /** Additional headers of each request. */
  headers?: Readonly<Record<string, string>>;
  send?: (request: Request) => Promise<Response>;
}

/** The result of a request: `data` after a success, otherwise `error` (JSON, or text if it is not JSON). */
export interface HttpOutcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The client of a world, and how its responses are unwrapped. */
export interface WorldClient {
  control: Control;
  ask<T>(call: Promise<HttpOutcome<T>>): Promise<T>;
}

/** Reads the global `Request` late, because Node then loads all of `fetch`, which takes a fifth of the library's start time. */
function LateRequest(url: string, init: RequestInit) {
  return new Request(url, init);
}

/** Creates the client of one world, by default `default`. In Node, `createControl` adds the function that sends. */
export function openControl(
  { url, controlToken, byHand, headers, send }: Server & Required<Pick<Server, "send">>,
  world?: string,
): Control {
  return createClient<paths>({
    baseUrl: url,
    // A redirect is not followed, because the token must not be sent to another address.
    redirect: "manual",
    Request: LateRequest as unknown as typeof Request,
    fetch: send,
    // A large document is sent as the bytes of its file.
    bodySerializer: (body: unknown) => (body instanceof Uint8Array ? body : JSON.stringify(body)) as string,
    pathSerializer: (path, params) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(String(params[name]))),
    querySerializer: { array: { style: "form", explode: false } },
    headers: {
      ...(world === undefined ? {} : { "sandbox-world": encodeURIComponent(world) }),
      // The log marks the requests of a person.
      ...(byHand ? { "sandbox-by-hand": "command" } : {}),
      ...headers,
      ...(controlToken ? { authorization: `Bearer ${controlToken}` } : {}),
    },
  });
}

/** Performs an act whose name is known only at run time, so the request is typed as that of one act. */
export function perform(control: Control, name: string, input: object): Promise<HttpOutcome<Schemas["ActAnswer"]>> {
  const path = `/_sandbox/acts/${encodeSegment(name)}` as "/_sandbox/acts/cancelBooking";
  return control.POST(path, { body: input as Schemas["CancelBookingInput"] });
}

/** Returns the data of a response. Throws a SandboxError with the code and message of an error response. */
export async function unwrap<T>(call: Promise<HttpOutcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const { code, message = String(error ?? ""), ...details } = (error ?? {}) as Partial<Schemas["Error"]>;
  throw new SandboxError(response.status, code, message, details);
}

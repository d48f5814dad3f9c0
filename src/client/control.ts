// The one client of the control surface, typed by its specification: the command line, the library and the scenario player use it.
// Each of them decides what an error response becomes: a sentence with an exit code, an exception, or a response like any other.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../contract/generated/control.ts";
import type { Schemas } from "../contract/schemas.ts";
import { encodeSegment } from "../platform/path-segment.ts";
import { BY_HAND } from "./headers.ts";
import { SandboxError } from "./sandbox-error.ts";

export type { Schemas } from "../contract/schemas.ts";

export type Control = Client<paths>;

/** How a sandbox is reached; everything that asks one begins with this. */
export interface Server {
  /** The base address of the sandbox, without `/_sandbox`. */
  url: string;
  controlToken?: string | undefined;
  /** Set where a person asks, in a terminal. */
  byHand?: boolean;
  /** Of each request, besides. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests. */
  send?: (request: Request) => Promise<Response>;
}

/** What a call gives: `data` after a success, `error` (JSON, or text where it is not JSON) otherwise. */
export interface HttpOutcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Node loads all that `fetch` needs when somebody first looks at its Request, which takes a fifth of the library's start. */
function LateRequest(url: string, init: RequestInit) {
  return new Request(url, init);
}

/** The control surface in one world; in the world `default` when none is named. In Node `createControl` knows how to send. */
export function openControl(
  { url, controlToken, byHand, headers, send }: Server & Required<Pick<Server, "send">>,
  world?: string,
): Control {
  return createClient<paths>({
    baseUrl: url,
    // A token goes to the address that it is for, and to none that this one names.
    redirect: "manual",
    Request: LateRequest as unknown as typeof Request,
    fetch: send,
    // A long document goes out as it stands in its file.
    bodySerializer: (body: unknown) => (body instanceof Uint8Array ? body : JSON.stringify(body)) as string,
    pathSerializer: (path, params) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(String(params[name]))),
    querySerializer: { array: { style: "form", explode: false } },
    headers: {
      ...(world === undefined ? {} : { "sandbox-world": encodeURIComponent(world) }),
      ...(byHand ? BY_HAND : {}),
      ...headers,
      ...(controlToken ? { authorization: `Bearer ${controlToken}` } : {}),
    },
  });
}

/** Each act has a path and an input of its own; a name that is known only at run time stands for one of them. */
export function perform(control: Control, name: string, input: object): Promise<HttpOutcome<Schemas["ActAnswer"]>> {
  const path = `/_sandbox/acts/${encodeSegment(name)}` as "/_sandbox/acts/cancelBooking";
  return control.POST(path, { body: input as Schemas["CancelBookingInput"] });
}

/** The data of a response; an error response is thrown with its code and its sentence. */
export async function unwrap<T>(call: Promise<HttpOutcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const { code, message = String(error ?? ""), ...details } = (error ?? {}) as Partial<Schemas["Error"]>;
  throw new SandboxError(response.status, code, message, details);
}

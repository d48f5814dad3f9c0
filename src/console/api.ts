// The control API of the world that the address names. Acts are marked as performed by a person.
import { computed, signal } from "@preact/signals";
import { type Control, openControl, type Schemas, unwrap } from "../client/control.ts";
import { formatError, nameMember, SandboxError } from "../client/sandbox-error.ts";
import type { paths } from "../contract/generated/control.ts";
import type { JsonContent } from "../contract/schemas.ts";
import { sandboxUrl, worldId } from "./router.ts";

export { SandboxError, type Schemas, unwrap };

/** `away`: the sandbox does not respond. `locked`: the control API requires the control token. */
type Reach = "unknown" | "there" | "away" | "locked";
export const reach = signal<Reach>("unknown");

/**
 * A proxy may respond for a sandbox that is away, and a world that moves to another node is soon available again. Both count as no
 * response. A rejected change is a response, which the caller shows.
 */
const isSandboxResponse = ({ ok, status, headers }: Response, method: string): boolean =>
  ok || (headers.has("sandbox-request-id") && !(method === "GET" && status === 503 && headers.has("retry-after")));

/** Sends a request like `fetch`. Updates `reach`; throws a TypeError only when no sandbox responds. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (!isSandboxResponse(response, request.method)) throw new TypeError();
    reach.value = response.status === 401 ? "locked" : "there";
    return response;
  } catch (reason) {
    reach.value = "away";
    throw reason;
  }
}

export const createWorldControl = (world: string): Control =>
  openControl({ url: sandboxUrl, send, headers: { "sandbox-by-hand": "console" } }, world);

/** The control API of the world that the address names. */
export const control = computed(() => createWorldControl(worldId.value));

export type GetPath = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];
type Parameters<P extends GetPath> = paths[P] extends { get: { parameters: infer T } } ? T : never;
type Answer<P extends GetPath> = paths[P] extends { get: { responses: { 200: infer T } } } ? JsonContent<T> : never;

/** The parameters of a path and its query. A parameter that is undefined is not sent. */
export type ReadParams<P extends GetPath> = {
  [Part in keyof Parameters<P> & ("path" | "query")]?: {
    [Name in keyof NonNullable<Parameters<P>[Part]>]: NonNullable<Parameters<P>[Part]>[Name] | undefined;
  };
};

/** Reads from the world of the address. */
export const read = <P extends GetPath>(path: P, params: ReadParams<P> = {}): Promise<Answer<P>> =>
  unwrap(control.peek().GET(path as never, { params } as never));

/** Copies a world, at the point in time `at` if it is given. Returns the id of the copy. */
export async function forkWorld(worldId: string, body: Schemas["ForkInput"] = {}): Promise<string> {
  const params = { path: { worldId } };
  const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  return items[0]?.id ?? "";
}

/** Returns true if no response arrived. The frame shows a banner then, so callers need no message. */
export const isConnectionError = (reason: unknown): boolean => reason instanceof TypeError;

/** Returns a sentence that describes any thrown value. */
export function describeError(reason: unknown): string {
  // The console has screens for lists, so the hint at the command that lists them is left out.
  if (reason instanceof SandboxError) return formatError(reason, { value: nameMember, list: () => undefined });
  if (isConnectionError(reason)) return `The sandbox at ${sandboxUrl} is unreachable.`;
  return reason instanceof Error ? reason.message : String(reason);
}

// The control API of the world that the address names. Acts are marked as performed by a person.
import { computed, signal } from "@preact/signals";
import { type Control, openControl, type Schemas, unwrap } from "../client/control.ts";
import { formatError, nameMember } from "../client/format-error.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { sandboxUrl } from "./home.ts";
import { MANUAL_HEADERS, takePrefetched } from "./prefetch.ts";
import { worldId } from "./router.ts";

export { type Control, SandboxError, type Schemas, unwrap };

/** `away`: the sandbox does not respond. `locked`: the control API requires the control token. */
type Reach = "unknown" | "there" | "away" | "locked";
export const reach = signal<Reach>("unknown");

/**
 * A proxy may respond for a sandbox that is away, and a world that moves to another node is soon available again. Both count as no
 * response. A rejected change is a response, which the caller shows.
 */
const isSandboxResponse = ({ ok, status, headers }: Response, method: string): boolean =>
  ok || (headers.has("sandbox-request-id") && !(method === "GET" && status === 503 && headers.has("retry-after")));

/**
 * Sends a request like `fetch`, marked as made by a person. Updates `reach`; throws a TypeError only when no sandbox
 * responds.
 */
export async function send(request: Request): Promise<Response> {
  for (const [name, value] of Object.entries(MANUAL_HEADERS)) request.headers.set(name, value);
  try {
    const response = await (takePrefetched(request) ?? fetch(request));
    if (!isSandboxResponse(response, request.method)) throw new TypeError();
    reach.value = response.status === 401 ? "locked" : "there";
    return response;
  } catch (reason) {
    reach.value = "away";
    throw reason;
  }
}

const server = { url: sandboxUrl, send };

/** The control API of the world that the address names. */
export const control = computed<Control>(() => openControl(server, worldId.value));

export const createWorldControl = (world: string): Control => openControl(server, world);

/** Returns true if no response arrived. The frame shows a banner then, so callers need no message. */
export const isConnectionError = (reason: unknown): boolean => reason instanceof TypeError;

/** Returns a sentence that describes any thrown value. */
export function describeError(reason: unknown): string {
  // The console has screens for lists, so the hint at the command that lists them is left out.
  if (reason instanceof SandboxError) return formatError(reason, { value: nameMember, list: () => undefined });
  if (isConnectionError(reason)) return `The sandbox at ${sandboxUrl} is unreachable.`;
  return reason instanceof Error ? reason.message : String(reason);
}

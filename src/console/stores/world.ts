// The world that is looked at, and the others: asked again when the stream tells of a change, and every few seconds, since a fault that
// is armed in a terminal must not stay unseen.
import { computed, effect, signal } from "@preact/signals";
import { control, describeError, reach, SandboxError, type Schemas, unwrap } from "../api.ts";
import { worldId } from "../router.ts";

export const sandbox = signal<Schemas["SandboxDescription"] | undefined>(undefined);
export const worlds = signal<readonly Schemas["ListedWorld"][]>([]);
/** Who looks, where many share a sandbox. */
export const caller = signal<Schemas["Caller"] | undefined>(undefined);
/** Why the world of the address can't be shown. */
export const worldProblem = signal("");

const POLL_MS = 4000;
const RETRY_MS = 1000;
/** After something that may have changed what is shown; a hundred requests a second ask once. */
const REFRESH_DELAY_MS = 200;
/** The one that the address means, as the sandbox calls it: of an address that names none, the caller's own. */
export const selectedWorld = computed(() => sandbox.value?.world ?? worldId.value);
/** It can be reset, and never removed. */
export const defaultWorld = computed(() => caller.value?.default_world ?? "default");

/** When the sandbox last reported the world's instant; a running clock is shown as going on from there. */
let updatedAt = 0;

/** The world's now: a running clock goes on between two answers. */
export function getWorldNow(): number {
  const described = sandbox.peek();
  if (!described) return 0;
  const passed = described.mode === "running" ? performance.now() - updatedAt : 0;
  return Date.parse(described.now) + passed;
}

/** There is none, or it is set aside; any other answer passes, and takes nothing out of sight. */
const isWorldUnavailable = (reason: unknown): boolean =>
  reason instanceof SandboxError && [404, 503].includes(reason.status);

/** `isPoll`: what hardly ever changes is asked for too. */
export async function refresh(isPoll = false): Promise<void> {
  const id = worldId.peek();
  try {
    const described = await unwrap(control.peek().GET("/_sandbox"));
    if (id !== worldId.peek()) return;
    updatedAt = performance.now();
    worldProblem.value = "";
    sandbox.value = described;
    // A member of a team gets another role; a sandbox of one person has no members.
    if (!caller.peek() || (isPoll && caller.peek()?.team !== null))
      caller.value = await unwrap(control.peek().GET("/_sandbox/me"));
  } catch (reason) {
    // Somebody else may sign in.
    if (reach.peek() === "locked") caller.value = undefined;
    if (isWorldUnavailable(reason) && id === worldId.peek()) worldProblem.value = describeError(reason);
  }
}

export async function readWorlds(): Promise<typeof worlds.value> {
  const { items } = await unwrap(control.peek().GET("/_sandbox/worlds"));
  worlds.value = items;
  return items;
}

/** Where it fails, the list stays as it was. */
export const refreshWorlds = (): Promise<unknown> => readWorlds().catch(() => undefined);

let refreshTimer = 0;
export function refreshSoon(): void {
  if (refreshTimer) return;
  refreshTimer = window.setTimeout(() => {
    refreshTimer = 0;
    void refresh();
  }, REFRESH_DELAY_MS);
}

export function keepFresh(): void {
  effect(() => {
    worldId.value;
    sandbox.value = undefined;
    worldProblem.value = "";
    void refresh();
    void refreshWorlds();
  });
  const schedulePoll = () => {
    const wait = reach.peek() === "away" ? RETRY_MS : POLL_MS;
    window.setTimeout(() => void (document.hidden ? Promise.resolve() : refresh(true)).finally(schedulePoll), wait);
  };
  schedulePoll();
}

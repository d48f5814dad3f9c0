// State of the shown world and the list of worlds. Both are reloaded after stream events and every few seconds, because
// another client may arm a fault.
import { computed, effect, signal } from "@preact/signals";
import { control, describeError, reach, SandboxError, type Schemas, unwrap } from "../api.ts";
import { worldId } from "../router.ts";

export const sandbox = signal<Schemas["SandboxDescription"] | undefined>(undefined);
export const worlds = signal<readonly Schemas["ListedWorld"][]>([]);
/** The user of the console, if several users share the sandbox. */
export const caller = signal<Schemas["Caller"] | undefined>(undefined);
/** The reason why the world of the address can't be shown, or "". */
export const worldProblem = signal("");

const POLL_MS = 4000;
const RETRY_MS = 1000;
/** The delay of a refresh after an event. A burst of events causes one refresh. */
const REFRESH_DELAY_MS = 200;
/** The id of the shown world as the sandbox reports it. An address without a world means the caller's default world. */
export const selectedWorld = computed(() => sandbox.value?.world ?? worldId.value);
/** The default world, which can be reset but not removed. */
export const defaultWorld = computed(() => caller.value?.default_world ?? "default");

/** When the sandbox last reported the world's time, on the clock of the page. */
let updatedAt = 0;

/** Returns the world's time in milliseconds. A running clock is extrapolated between two responses. */
export function getWorldNow(): number {
  const described = sandbox.peek();
  if (!described) return 0;
  const passed = described.mode === "running" ? performance.now() - updatedAt : 0;
  return Date.parse(described.now) + passed;
}

/** Returns true if the world does not exist or is set aside. Other errors are temporary and hide nothing. */
const isWorldUnavailable = (reason: unknown): boolean =>
  reason instanceof SandboxError && [404, 503].includes(reason.status);

/** Reloads the world. `isPoll` also reloads data that rarely changes. */
export async function refresh(isPoll = false): Promise<void> {
  const id = worldId.peek();
  try {
    const described = await unwrap(control.peek().GET("/_sandbox"));
    if (id !== worldId.peek()) return;
    updatedAt = performance.now();
    worldProblem.value = "";
    sandbox.value = described;
    // The role of a team member can change; a sandbox without teams has no roles.
    if (!caller.peek() || (isPoll && caller.peek()?.team !== null))
      caller.value = await unwrap(control.peek().GET("/_sandbox/me"));
  } catch (reason) {
    // Another user may sign in.
    if (reach.peek() === "locked") caller.value = undefined;
    if (isWorldUnavailable(reason) && id === worldId.peek()) worldProblem.value = describeError(reason);
  }
}

export async function readWorlds(): Promise<typeof worlds.value> {
  const { items } = await unwrap(control.peek().GET("/_sandbox/worlds"));
  worlds.value = items;
  return items;
}

/** A failed reload keeps the previous list. */
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

// The world that is looked at, and the others: asked again when the stream tells of a change, and every few seconds, since a fault that
// is armed in a terminal must not stay unseen.
import { computed, effect, signal } from "@preact/signals";
import { control, dataOf, reach, type Schemas } from "../api.ts";
import { worldId } from "../router.ts";

export const sandbox = signal<Schemas["SandboxDescription"] | undefined>(undefined);
export const worlds = signal<readonly Schemas["World"][]>([]);
/** Armed, with hits left. */
export const faults = signal<readonly Schemas["Fault"][]>([]);
export const assumptions = signal<readonly Schemas["Assumption"][]>([]);
export const flips = computed(() => assumptions.value.filter(({ value, default: usual }) => value !== usual));
/** Why the world of the address can't be shown. */
export const lost = signal("");

const POLL_MS = 4000;
const RETRY_MS = 1000;
/** Real milliseconds when the instant of the world was told, to go on from there. */
let toldAt = 0;

/** The world's now: a running clock goes on between two answers. */
export function worldNow(): number {
  const described = sandbox.peek();
  if (!described) return 0;
  const passed = described.mode === "running" ? performance.now() - toldAt : 0;
  return Date.parse(described.now) + passed;
}

export async function refresh(): Promise<void> {
  const asked = worldId.peek();
  const ask = control.peek();
  try {
    const [described, all, armed, register] = await Promise.all([
      dataOf(ask.GET("/_sandbox")),
      dataOf(ask.GET("/_sandbox/worlds")),
      dataOf(ask.GET("/_sandbox/faults")),
      dataOf(ask.GET("/_sandbox/assumptions")),
    ]);
    if (asked !== worldId.peek()) return;
    toldAt = performance.now();
    lost.value = "";
    sandbox.value = described;
    worlds.value = all.items;
    faults.value = armed.faults.filter(({ hits, times }) => hits < times);
    assumptions.value = register.items;
  } catch (reason) {
    if (reach.peek() === "there" && asked === worldId.peek()) lost.value = (reason as Error).message;
  }
}

let soon = 0;
/** After something that may have changed what is shown; several at once ask once. */
export function refreshSoon(): void {
  if (soon) return;
  soon = window.setTimeout(() => {
    soon = 0;
    void refresh();
  }, 150);
}

export function keepFresh(): void {
  effect(() => {
    worldId.value;
    sandbox.value = undefined;
    void refresh();
  });
  const again = () => {
    const wait = reach.peek() === "away" ? RETRY_MS : POLL_MS;
    window.setTimeout(() => void (document.hidden ? Promise.resolve() : refresh()).finally(again), wait);
  };
  again();
}

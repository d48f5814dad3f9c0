// Runs the mirror through a soak, in a thread, and asks for its state by reading its file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startOwnSandbox } from "../../../src/cli/own-sandbox.ts";
import { type Soak, type SoakOptions, soak } from "../../../src/verdict/soak/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { inThread } from "../matrix.ts";

export const mirror = fileURLToPath(new URL("mirror.mjs", import.meta.url));
type Habits = typeof import("./habits.mjs");
const habits = (await import("./habits.mjs")) as Habits;
export const styles = Object.keys(habits.styles);
export const careless = Object.keys(habits.careless);
const styleOf = (name: string): string => (habits.careless as Record<string, unknown[]>)[name]?.[0] as string;

const NO_RECEIVER = ["pull", "changes", "money"];
/** Who has nothing but messages has to get them all, and who resells keeps only what is its own. */
const OF_STYLE: Readonly<Record<string, Partial<SoakOptions>>> = {
  messages: { without: ["lost-delivery"] },
  reseller: { scope: "own" },
};
/** That it does not follow moves is another story. */
const OF_HABIT: Readonly<Record<string, Partial<SoakOptions>>> = {
  "order trusted": { rate: 5 },
  "lost answer repeated": { without: ["host-moves-for-the-program"] },
};

export const soaked = (name: string, options: Partial<SoakOptions> = {}): Promise<Soak> =>
  soak(createSoakOptions(name, options));

/** `name` is a style, or what it is careless in. */
export function createSoakOptions(name: string, options: Partial<SoakOptions>): SoakOptions {
  const isStyle = styles.includes(name);
  const style = isStyle ? name : styleOf(name);
  const folder = makeTempFolder();
  const retained = () => JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as { bookings: object };
  const given: SoakOptions = {
    command: ["node", "mirror.mjs"],
    seed: "7",
    days: 3,
    rate: 1,
    restarts: 1,
    scope: "changed",
    dayMs: 400,
    graceMs: 20_000,
    patienceMs: 20_000,
    isOver: () => false,
    freshFolder: () => folder,
    webhookUrl: NO_RECEIVER.includes(style) ? undefined : "http://127.0.0.1:{port}/hooks",
    launch: inThread(mirror, isStyle ? { STYLE: name } : { HABIT: name }),
    probe: async () => ({ bookings: Object.values(retained().bookings) }),
    start: (position) => startOwnSandbox({ clock: "anchor", ...position }),
  };
  return { ...given, ...OF_STYLE[style], ...OF_HABIT[name], ...options };
}

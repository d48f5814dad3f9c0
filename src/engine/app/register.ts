// The register of assumptions: the value of each that is in force in a world, and its alternatives.

import register from "../../contract/generated/assumptions.json" with { type: "json" };
import type { Schemas } from "../../contract/schemas.ts";
import { suggest } from "../../platform/nearest.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { World } from "../world/state/world.ts";
import type { Changes } from "./changes.ts";

type AssumedValues = Readonly<Record<string, string>>;
type RegisterEntry = Omit<Schemas["Assumption"], "value">;

const entries = register as readonly RegisterEntry[];
const byId = new Map(entries.map((entry) => [entry.id, entry]));

/** Throws for an id that is not in the register, which is a mistake of ours. */
export function defaultOf(id: string): string {
  const entry = byId.get(id);
  if (!entry) throw new Error(`${id} is not in the register of assumptions`);
  return entry.default;
}

/** Why this value can't be assumed; undefined when it can. */
export function whyNotAssume(id: string, value: string): string | undefined {
  const entry = byId.get(id);
  if (!entry) return `There is no assumption ${id}.${suggest(id, byId.keys())} \`sandbox assume\` lists them.`;
  const values = [entry.default, ...entry.alternatives.map((alternative) => alternative.value)];
  if (values.includes(value)) return undefined;
  const possible = entry.alternatives.length > 0 ? `It takes: ${values.join(", ")}.` : "It has no alternative.";
  return `The assumption ${id} can't be ${value}. ${possible}`;
}

/** The register with the answers that a world begins with. */
export const shippedAssumptions = () => entries.map((entry) => ({ ...entry, value: entry.default }));

/** The assumptions of each world. `overridden` hears what is assumed otherwise now, and how it was before; null: by default. */
export function createAssumptions(
  change: Changes["change"],
  overridden: (world: World, set: AssumedValues, before: Readonly<Record<string, string | null>>) => void,
) {
  const read = (world: World): AssumedValues => world.identity()?.assumptions ?? {};
  return {
    all: (world: World) => entries.map((entry) => ({ ...entry, value: read(world)[entry.id] ?? entry.default })),
    set(world: World, values: AssumedValues): void {
      for (const [id, value] of Object.entries(values)) {
        const reason = whyNotAssume(id, value);
        // All are checked before one is set.
        if (reason) reject("BAD_REQUEST", { what: reason });
      }
      const before = Object.fromEntries(Object.keys(values).map((id) => [id, read(world)[id] ?? null]));
      change(world, { kind: "world", id: "setAssumptions" }, (tx) => {
        const identity = tx.identity.get("identity");
        if (identity) tx.identity.put({ ...identity, assumptions: { ...identity.assumptions, ...values } });
      });
      overridden(world, values, before);
    },
  };
}

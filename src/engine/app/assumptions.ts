// Lists the assumptions with their values in a world, and overrides them.

import register from "../../contract/generated/assumptions.json" with { type: "json" };
import type { Schemas } from "../../contract/schemas.ts";
import { suggest } from "../../platform/nearest.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";

type AssumedValues = Readonly<Record<string, string>>;

const entries = register as readonly Omit<Schemas["Assumption"], "value">[];
const byId = new Map(entries.map((entry) => [entry.id, entry]));

/** Returns the default of an assumption. An unknown id is a bug of the sandbox. */
export function getDefaultAssumption(id: string): string {
  const entry = byId.get(id);
  if (!entry) throw new Error(`${id} is not in the list of assumptions`);
  return entry.default;
}

/** Explains why an assumption can't have this value; undefined if it can. */
export function explainInvalidAssumption(id: string, value: string): string | undefined {
  const entry = byId.get(id);
  if (!entry) return `There is no assumption ${id}.${suggest(id, byId.keys())} \`sandbox assume\` lists them.`;
  const values = [entry.default, ...entry.alternatives.map((alternative) => alternative.value)];
  if (values.includes(value)) return undefined;
  const possible = entry.alternatives.length > 0 ? `It takes: ${values.join(", ")}.` : "It has no alternative.";
  return `The assumption ${id} can't be ${value}. ${possible}`;
}

/** Lists the assumptions with their default values. */
export const listDefaultAssumptions = () => entries.map((entry) => ({ ...entry, value: entry.default }));

/** Lists and overrides the assumptions of worlds. `note` logs a change; null means the default. */
export function createAssumptions(
  change: (world: World, cause: Cause, work: (tx: Transaction) => void) => unknown,
  note: (world: World, change: "assume", values: { set: AssumedValues; before: object }) => void,
) {
  const read = (world: World): AssumedValues => world.identity()?.assumptions ?? {};
  return {
    all: (world: World) => entries.map((entry) => ({ ...entry, value: read(world)[entry.id] ?? entry.default })),
    set(world: World, set: AssumedValues): void {
      // All values are checked before one is set.
      for (const [id, value] of Object.entries(set)) {
        const reason = explainInvalidAssumption(id, value);
        if (reason) reject("BAD_REQUEST", { what: reason });
      }
      const before = Object.fromEntries(Object.keys(set).map((id) => [id, read(world)[id] ?? null]));
      change(world, { kind: "world", id: "setAssumptions" }, (tx) => {
        const identity = tx.identity.get("identity");
        if (identity) tx.identity.put({ ...identity, assumptions: { ...identity.assumptions, ...set } });
      });
      note(world, "assume", { set, before });
    },
  };
}

// The names that begin with SANDBOX_: those of the options, those that `env` prints, and a few more. One that is nearly such a name, and
// is not, was meant to have an effect.
import { nearest } from "../platform/nearest.ts";
import { type Environment, environmentOf } from "./options.ts";
import { environmentFor } from "./terminal/connection-info.ts";
import type { Table } from "./wire.ts";

const PREFIX = "SANDBOX_";
/** Of the redirecting preload, and of this project's own tests. */
const OTHERS = ["REDIRECT", "LONG", "FUZZ", "FUZZ_MINUTES", "SOAK_MINUTES"].map((name) => PREFIX + name);
// Only the names matter; the values are never read.
const NOTHING = {
  ...{ url: "", auth_url: "", token_url: "", control_url: "", client_id: "", client_secret: "" },
  ...{ control_token: "", webhook_secret: null },
};

/** A warning for each misspelt name. */
export function misspeltIn(environment: Environment, table: Table): string[] {
  const set = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && environment[name] !== "");
  if (set.length === 0) return [];
  const commands = Object.values(table).flatMap((entries) =>
    entries.flatMap((entry) => ("members" in entry ? entry.members : [entry])),
  );
  const known = new Set([
    ...commands.flatMap(({ options }) => options.map(environmentOf)),
    ...Object.keys(environmentFor(NOTHING)),
    ...OTHERS,
  ]);
  // Compared without the prefix, which would make all names look alike.
  const endings = [...known].map((name) => name.slice(PREFIX.length));
  return set.flatMap((name) => {
    const meant = known.has(name) ? undefined : nearest(name.slice(PREFIX.length), endings);
    return meant === undefined ? [] : [`Warning: ${name} has no effect. Did you mean ${PREFIX}${meant}?`];
  });
}

// The number of checks by outcome.
import type { Schemas } from "../api.ts";
import { Badge } from "../parts/primitives.tsx";
import { formatOutcome, OUTCOMES, TONES } from "./outcomes.ts";

/** A run without a verdict has no counts. */
export function Counts({ counts, no_verdict }: Pick<Schemas["ListedVerdict"], "counts" | "no_verdict">) {
  if (no_verdict) return <Badge tone="warn">no verdict</Badge>;
  const named = OUTCOMES.filter((name) => counts[name] > 0);
  return (
    <>
      {named.map((name) => (
        <>
          <Badge tone={TONES[name]}>
            {counts[name]} {formatOutcome(name)}
          </Badge>{" "}
        </>
      ))}
      {counts.ignored > 0 && <Badge>{counts.ignored} ignored</Badge>}
    </>
  );
}

// Verdicts: those that `sandbox check --keep` has sent, one of them with its evidence, and what the log alone can tell.
import type { ScreenProps } from "../screen.ts";
import { LogChecks } from "../verdict/log-checks.tsx";
import { StoredVerdicts } from "../verdict/stored-verdicts.tsx";
import { VerdictDetail } from "../verdict/verdict-detail.tsx";

export function Verdict({ rest: [id] }: ScreenProps) {
  if (id) return <VerdictDetail key={id} id={id} />;
  return (
    <>
      <StoredVerdicts />
      <LogChecks />
    </>
  );
}

// The verdict screen: stored verdicts, one verdict in detail, and the checks of the log.
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

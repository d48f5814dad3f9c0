// Verdicts: those that `sandbox verdict --keep` has sent, one of them with its evidence, and what the log alone can tell.
import type { ScreenProps } from "../screen.ts";
import { ByLog } from "../verdict/by-log.tsx";
import { Kept } from "../verdict/kept.tsx";
import { One } from "../verdict/one.tsx";

export function Verdict({ rest: [id] }: ScreenProps) {
  if (id) return <One key={id} id={id} />;
  return (
    <>
      <Kept />
      <ByLog />
    </>
  );
}

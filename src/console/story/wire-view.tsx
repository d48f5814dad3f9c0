// The logged request and response of a story. The log redacts secrets.

import type { Entry } from "../entries.ts";
import { Side } from "../parts/side.tsx";
import { formatTarget } from "./sent-request.ts";

export function WireView({ entry }: { entry: Entry }) {
  if (entry.kind === "act")
    return (
      <div class="two">
        <Side title="Input" value={entry.input ?? {}} />
        <Side title="Result" value={entry.result ?? null} />
      </div>
    );
  if (entry.kind !== "request") return <Side title="As the log has it" value={entry} />;
  return (
    <div class="two">
      <Side
        title="Request"
        line={`${entry.method} ${formatTarget(entry)}`}
        headers={entry.request?.headers}
        value={entry.request?.body}
      />
      <Side title={`Answer ${entry.status ?? "lost"}`} headers={entry.answer?.headers} value={entry.answer?.body} />
    </div>
  );
}

// What went over the wire, as the log has it: secrets are redacted there.

import type { Entry } from "../entries.ts";
import { Json } from "../parts/bits.tsx";

export function Wire({ entry }: { entry: Entry }) {
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
      <Side title="Request" headers={entry.request?.headers} value={entry.request?.body} />
      <Side title="Answer" headers={entry.answer?.headers} value={entry.answer?.body} />
    </div>
  );
}

interface SideProps {
  title: string;
  headers?: Record<string, string | string[]> | undefined;
  value: unknown;
}

function Side({ title, headers = {}, value }: SideProps) {
  const names = Object.entries(headers);
  return (
    <section class="panel">
      <h2>{title}</h2>
      {names.length > 0 && (
        <details>
          <summary class="quiet small">{names.length} headers</summary>
          <dl class="headers">
            {names.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{[text].flat().join(", ")}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {value === null || value === undefined ? (
        <p class="quiet">No body.</p>
      ) : (
        <Json value={value} label={`${title}, body`} />
      )}
    </section>
  );
}

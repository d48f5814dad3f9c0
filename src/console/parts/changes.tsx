// Records that were changed, each with its members before and after.

import type { RecordChange } from "../entries.ts";
import { href } from "../router.ts";
import { amountText, isAmount } from "./amount.ts";
import { Called, ShortId } from "./links.tsx";
import { Badge, Breaking } from "./primitives.tsx";

/** Characters of a value in a table. */
const LONGEST = 120;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+)?Z$/;
const TONES = { created: "ok", updated: "info", removed: "bad" } as const;

/** A value in one line; nothing is nothing. */
export function valueText(value: unknown): string {
  if (value === undefined) return "—";
  if (isAmount(value)) return amountText(value);
  const text = typeof value === "string" ? value.replace(INSTANT, "$1 $2Z") : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export function ChangeList({ changes }: { changes: readonly RecordChange[] }) {
  return (
    <>
      {changes.map((change) => (
        <Change key={`${change.collection} ${change.id}`} change={change} />
      ))}
    </>
  );
}

function Change({ change: { collection, id, title, timezone, change, members } }: { change: RecordChange }) {
  // What is gone has no member to show.
  const listed = change === "removed" ? [] : members;
  return (
    <details class="change" open={change === "updated"}>
      <summary>
        <Badge tone={TONES[change]}>{change}</Badge> <span class="quiet">{collection}</span>{" "}
        {title ? <Called id={id} title={title} timezone={timezone} /> : <ShortId id={id} />}{" "}
        {change === "updated" && (
          <span class="quiet small">
            {members.length} {members.length === 1 ? "member" : "members"}
          </span>
        )}
      </summary>
      <a class="small" href={href("records", [collection, id])}>
        To the record {id}
      </a>
      <table class="members">
        <thead>
          <tr>
            <th>Member</th>
            {change === "updated" && <th>Before</th>}
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {listed.map(({ path, before, after }) => (
            <tr key={path}>
              <td>
                <code>
                  <Breaking text={path || "(the record)"} />
                </code>
              </td>
              {change === "updated" && <td class="before">{valueText(before)}</td>}
              <td class="after">{valueText(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

// A list of changed records with their fields before and after.

import { count } from "../../platform/count.ts";
import type { RecordChange } from "../entries.ts";
import { toHref } from "../router.ts";
import { formatAmount, isAmount } from "./amount.ts";
import { CauseLabel } from "./cause-label.tsx";
import { RecordTitle, ShortId } from "./links.tsx";
import { Badge, BreakableName } from "./primitives.tsx";

/** The longest value that a table shows, in characters. */
const MAX_VALUE_LENGTH = 120;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+)?Z$/;
export const CHANGE_TONES = { created: "ok", updated: "info", removed: "bad" } as const;

/** Formats a value in one line; undefined becomes a dash. */
function formatMemberValue(value: unknown): string {
  if (value === undefined) return "—";
  if (isAmount(value)) return formatAmount(value);
  const text = typeof value === "string" ? value.replace(INSTANT, "$1 $2Z") : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

export function ChangeList({ changes }: { changes: readonly RecordChange[] }) {
  return (
    <>
      {changes.map((change) => (
        <RecordChangeDetails key={`${change.collection} ${change.id}`} change={change} />
      ))}
    </>
  );
}

function RecordChangeDetails({ change: record }: { change: RecordChange }) {
  const { collection, id, title, timezone, change, members, causes = [] } = record;
  return (
    <details class="change" open={change === "updated"}>
      <summary>
        <Badge tone={CHANGE_TONES[change]}>{change}</Badge> <span class="quiet">{collection}</span>{" "}
        {title ? <RecordTitle id={id} title={title} timezone={timezone} /> : <ShortId id={id} />}{" "}
        {change === "updated" && <span class="quiet small">{count(members.length, "member")}</span>}
      </summary>
      <a class="small" href={toHref("records", [collection, id])}>
        To the record {id}
      </a>
      {causes.slice(1).map((cause) => (
        <p key={cause.id} class="small">
          Also changed by <CauseLabel cause={cause} />
        </p>
      ))}
      {/* A removed record has no fields to show. */}
      {change !== "removed" && <MemberTable change={change} members={members} />}
    </details>
  );
}

/** A table of changed fields. A created or removed record is one row without a path. */
export const MemberTable = ({ change, members }: Pick<RecordChange, "change" | "members">) => (
  <table class="members">
    <thead>
      <tr>
        <th>Member</th>
        {change !== "created" && <th>Before</th>}
        {change !== "removed" && <th>After</th>}
      </tr>
    </thead>
    <tbody>
      {members.map(({ path, before, after }) => (
        <tr key={path}>
          <td>
            <BreakableName text={path || "(the record)"} />
          </td>
          {change !== "created" && <td class="before">{formatMemberValue(before)}</td>}
          {change !== "removed" && <td>{formatMemberValue(after)}</td>}
        </tr>
      ))}
    </tbody>
  </table>
);

// Changed records with their fields before and after, and the cause of a change.
import { formatAmount, isAmount } from "../../platform/amount-text.ts";
import { count } from "../../platform/count.ts";
import type { Schemas } from "../api.ts";
import { getActionName } from "../entries.ts";
import { toHref } from "../router.ts";
import { stories } from "../store.ts";
import { Phrases, RecordTitle } from "./links.tsx";
import { Badge } from "./primitives.tsx";

/** Labels of changes that no request or act caused. */
const WORLD_CAUSES: Readonly<Record<string, string>> = {
  setup: "world setup: webhook address and clock",
  setAssumptions: "assumptions overridden",
  rewind: "world rewound",
};

interface CauseLabelProps {
  cause: Schemas["Cause"];
  facts?: readonly { fact: string }[];
  deliveries?: number | undefined;
}

/** The request, act or clock move that changed the world, by its log entry, or by its facts if the log has dropped the entry. */
export function CauseLabel({ cause, facts = [], deliveries = 0 }: CauseLabelProps) {
  const head = stories.value.findLast((story) => story.head.id === cause.id)?.head;
  return (
    <>
      {cause.kind === "world" ? (
        (WORLD_CAUSES[cause.id] ?? cause.id)
      ) : (
        <a href={toHref("story", [cause.id])} title={cause.id}>
          {(head && getActionName(head)) ?? (cause.kind === "clock" ? "clock moved" : cause.id)}
        </a>
      )}{" "}
      <span class="small">
        {/* Deliveries come first, because a narrow line cuts off the end. */}
        {deliveries > 0 && <span class="quiet">{count(deliveries, "delivery", "deliveries")} · </span>}
        <Phrases phrases={head?.told} />
        {!head?.told?.length && <span class="quiet">{[...new Set(facts.map(({ fact }) => fact))].join(", ")}</span>}
      </span>
    </>
  );
}

/** The longest value that a table shows, in characters. */
const MAX_VALUE_LENGTH = 120;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+)?Z$/;
const CHANGE_TONES = { created: "ok", updated: "info", removed: "bad" } as const;

export const ChangeBadge = ({ change }: { change: keyof typeof CHANGE_TONES }) => (
  <Badge tone={CHANGE_TONES[change]}>{change}</Badge>
);

/** Formats a value in one line; undefined becomes a dash. */
function formatMemberValue(value: unknown): string {
  if (value === undefined) return "—";
  if (isAmount(value)) return formatAmount(value, true);
  const text = typeof value === "string" ? value.replace(INSTANT, "$1 $2Z") : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

export function RecordChange({ id, collection, title, timezone, change, members, causes = [] }: Schemas["RecordDiff"]) {
  return (
    <details class="change" open={change === "updated"}>
      <summary>
        <ChangeBadge change={change} /> <span class="quiet">{collection}</span>{" "}
        <RecordTitle id={id} title={title} timezone={timezone} />{" "}
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
export const MemberTable = ({ change, members }: Pick<Schemas["RecordDiff"], "change" | "members">) => (
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
          <td>{path || "(the record)"}</td>
          {change !== "created" && <td class="quiet">{formatMemberValue(before)}</td>}
          {change !== "removed" && <td>{formatMemberValue(after)}</td>}
        </tr>
      ))}
    </tbody>
  </table>
);

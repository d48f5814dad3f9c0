// The label of a cause: the request, act or clock move that changed the world.
import { count } from "../../platform/count.ts";
import type { Schemas } from "../api.ts";
import { getActionName } from "../entries.ts";
import { toHref } from "../router.ts";
import { logVersion, stories } from "../stores/log.ts";
import { Phrases } from "./phrases.tsx";

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

/** Describes a cause by its log entry, or by its facts if the log has dropped the entry. */
export function CauseLabel({ cause, facts = [], deliveries = 0 }: CauseLabelProps) {
  // Reading the signal renders the label again when the log entry arrives.
  logVersion.value;
  const head = stories.all.findLast((story) => story.head.id === cause.id)?.head;
  const named = head && getActionName(head);
  const phrases = head?.told ?? [];
  return (
    <>
      {cause.kind === "world" ? (
        (WORLD_CAUSES[cause.id] ?? cause.id)
      ) : (
        <a href={toHref("story", [cause.id])} title={cause.id}>
          {named ?? (cause.kind === "clock" ? "clock moved" : cause.id)}
        </a>
      )}{" "}
      <span class="small">
        {/* Deliveries come first, because a narrow line cuts off the end. */}
        {deliveries > 0 && <span class="quiet">{count(deliveries, "delivery", "deliveries")} · </span>}
        <Phrases phrases={phrases} />
        {phrases.length === 0 && <span class="quiet">{[...new Set(facts.map(({ fact }) => fact))].join(", ")}</span>}
      </span>
    </>
  );
}

// The actions of a story: copy it, send it again, or edit it first.
import { control, createWorldControl, type Schemas, unwrap } from "../api.ts";
import type { ActEntry, Entry } from "../entries.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Button, CopyButton } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, navigate, setQuery, toHref } from "../router.ts";
import { refreshWorlds } from "../stores/world.ts";
import { Edit } from "./edit-dialog.tsx";
import { replay } from "./replay.ts";
import { formatActCommand, formatCurl, formatTest, parseTrigger } from "./snippets.ts";
import { formatActStep, formatRequestStep } from "./steps.ts";

interface ActionsProps {
  entry: Entry;
  operations: Schemas["OperationList"]["items"];
}

export function Actions({ entry, operations }: ActionsProps) {
  if (entry.kind === "act") return <ActActions entry={entry} />;
  if (entry.kind !== "request") return null;
  // The path template, because a scenario step names path parameters.
  const template = operations.find(({ operation_id }) => operation_id === entry.operation);
  const step = formatRequestStep(entry, template);
  return (
    <div class="bar">
      <CopyButton text={() => formatCurl(entry)}>Copy as curl</CopyButton>
      <CopyButton text={() => formatTest(entry)}>Copy as test</CopyButton>
      {step && <CopyButton text={() => step}>Copy as scenario step</CopyButton>}
      {/* The replay uses a token of the same client. */}
      <ActionButton run={async () => openStory(await replay(entry.id))}>Send again</ActionButton>
      <Button onClick={() => setQuery({ edit: "{}" })}>Edit and send again</Button>
      {getQuery("edit") && <Edit entry={entry} template={template} onClose={() => setQuery({ edit: undefined })} />}
    </div>
  );
}

/** The actions for an act. An unknown act has no scenario step, because the scenario could not be played. */
function ActActions({ entry }: { entry: ActEntry }) {
  const mayBeUnknown = entry.code === "NOT_FOUND" && !parseTrigger(entry).kind;
  const { data } = useQuery([entry.id], async (api) => (mayBeUnknown ? unwrap(api.GET("/_sandbox/acts")) : undefined));
  return (
    <div class="bar">
      <CopyButton text={() => formatActCommand(entry)}>Copy as command</CopyButton>
      {(!data || data.items.some(({ act }) => act === entry.act)) && (
        <CopyButton text={() => formatActStep(entry)}>Copy as scenario step</CopyButton>
      )}
    </div>
  );
}

/** Applies the smallest change, sends the request again, and shows the story of the new response. */
export function ApplyButton({ id }: { id: string }) {
  const params = { path: { id } };
  const apply = async () => openStory(await unwrap(control.peek().POST("/_sandbox/why/{id}/apply", { params })));
  return <ActionButton run={apply}>Apply and resend</ActionButton>;
}

const openStory = ({ id }: { id: string }) => navigate(toHref("story", [id]));

interface ForkProps {
  id: string;
  world: string;
  moment: Schemas["WhyMoment"];
}

/** Sends a request that only worked earlier in a fork of that point in time, and shows the fork. */
export const ForkButton = ({ id, world, moment }: ForkProps) => (
  <ActionButton run={async () => navigate(await applyInFork(id, world, moment))}>Apply in fork</ActionButton>
);

/** Applies the change in a fork of that point in time. Returns the address of the story in the fork. */
async function applyInFork(id: string, world: string, { seq }: Schemas["WhyMoment"]): Promise<string> {
  const params = { path: { worldId: world } };
  const body = { count: 1, at: String(seq) };
  const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  const fork = items[0]?.id ?? "";
  const applied = await unwrap(createWorldControl(fork).POST("/_sandbox/why/{id}/apply", { params: { path: { id } } }));
  // The world chooser must list the fork before the address names it.
  await refreshWorlds();
  return toHref("story", [applied.id], { world: fork });
}

// What can be done with a story: copy it, send it again, change it first.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { control, controlIn, dataOf, type Schemas, sentenceOf } from "../api.ts";
import type { ActEntry, Entry } from "../entries.ts";
import { Copy, Problem } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { go, href, query, setQuery } from "../router.ts";
import { refreshWorlds } from "../stores/world.ts";
import { Edit } from "./edit.tsx";
import { replay } from "./replay.ts";
import { actOf, curlOf, testOf, triggered } from "./snippets.ts";
import { actStepOf, stepOf } from "./steps.ts";

interface ActionsProps {
  entry: Entry;
  operations: Schemas["OperationList"]["items"];
}

export function Actions({ entry, operations }: ActionsProps) {
  if (entry.kind === "act") return <ActActions entry={entry} />;
  if (entry.kind !== "request") return null;
  // The path with its parameters, by which a step names them.
  const template = operations.find(({ operation_id }) => operation_id === entry.operation);
  const step = stepOf(entry, template);
  return (
    <div class="bar">
      <Copy text={() => curlOf(entry)}>Copy as curl</Copy>
      <Copy text={() => testOf(entry)}>Copy as test</Copy>
      {step && <Copy text={() => step}>Copy as scenario step</Copy>}
      <ReplayButton id={entry.id}>Send again</ReplayButton>
      <button type="button" onClick={() => setQuery({ edit: "{}" })}>
        Edit and send again
      </button>
      {query("edit") && <Edit entry={entry} template={template} onClose={() => setQuery({ edit: undefined })} />}
    </div>
  );
}

/** Without a step where there is no such act: no scenario with it is played. */
function ActActions({ entry }: { entry: ActEntry }) {
  const mayBeUnknown = entry.code === "NOT_FOUND" && !triggered(entry).kind;
  const { data } = useQuery(
    async () => (mayBeUnknown ? dataOf(control.peek().GET("/_sandbox/acts")) : undefined),
    [entry.id],
  );
  return (
    <div class="bar">
      <Copy text={() => actOf(entry)}>Copy as command</Copy>
      {(!data || data.items.some(({ act }) => act === entry.act)) && (
        <Copy text={() => actStepOf(entry)}>Copy as scenario step</Copy>
      )}
    </div>
  );
}

interface ReplayProps {
  id: string;
  children: ComponentChildren;
}

/** With a token of the same key; the answer has a story of its own, which is shown. */
function ReplayButton({ id, children }: ReplayProps) {
  const [problem, setProblem] = useState("");
  const run = () =>
    void replay(id).then(
      (replayed) => go(href("story", [replayed.id])),
      (reason) => setProblem(sentenceOf(reason)),
    );
  return (
    <>
      <button type="button" onClick={run}>
        {children}
      </button>
      <Problem text={problem} />
    </>
  );
}

/** The acts and the request of the smallest change; the answer has a story of its own, which is shown. */
export function ApplyButton({ id }: { id: string }) {
  const [problem, setProblem] = useState("");
  const params = { path: { id } };
  const run = () =>
    void dataOf(control.peek().POST("/_sandbox/why/{id}/apply", { params })).then(
      (applied) => go(href("story", [applied.id])),
      (reason) => setProblem(sentenceOf(reason)),
    );
  return (
    <>
      <button type="button" onClick={run}>
        Send it again so
      </button>
      <Problem text={problem} />
    </>
  );
}

interface ForkProps {
  id: string;
  world: string;
  moment: Schemas["WhyMoment"];
}

/** What works no more is sent in a copy of the world as it was, which is shown from then on. */
export function ForkButton({ id, world, moment }: ForkProps) {
  const [problem, setProblem] = useState("");
  const run = () =>
    void inFork(id, world, moment).then(
      (address) => go(address),
      (reason) => setProblem(sentenceOf(reason)),
    );
  return (
    <>
      <button type="button" onClick={run}>
        Send it so in a fork of that moment
      </button>
      <Problem text={problem} />
    </>
  );
}

/** Makes the change in a fork of the world as it was before the request, and returns the address of its story there. */
async function inFork(id: string, world: string, { seq }: Schemas["WhyMoment"]): Promise<string> {
  const params = { path: { worldId: world } };
  const body = { count: 1, at: String(seq) };
  const { items } = await dataOf(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  const fork = items[0]?.id ?? "";
  const applied = await dataOf(controlIn(fork).POST("/_sandbox/why/{id}/apply", { params: { path: { id } } }));
  // The chooser has to know the fork before the address names it.
  await refreshWorlds();
  return href("story", [applied.id], { world: fork });
}

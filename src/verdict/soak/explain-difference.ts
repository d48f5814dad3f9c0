// Explains a difference: which message or response should have informed the program, and what happened to the record last.
import { unwrap } from "../../client/control.ts";
import type { Evidence } from "../judgement.ts";
import { type Entry, isRequest, isSuccess, type Message, type RequestEntry, toEvidence } from "../observed.ts";
import type { RunContext } from "../worlds.ts";
import { type Difference, type Fields, KINDS, listFacts } from "./compare.ts";

export interface FoundDifference extends Difference {
  says: string;
  /** The message or response that should have informed the program, if there was one. */
  told?: Evidence;
  /** The last changes of the record, newest first. */
  story: readonly Evidence[];
  /** The command that shows the record's history. */
  why: string;
}

const MAX_HISTORY = 3;

export async function explainDifference(
  difference: Difference,
  entries: readonly Entry[],
  { control }: Pick<RunContext, "control">,
): Promise<Omit<FoundDifference, "why">> {
  const { of, id, kind } = difference;
  const changes = entries.filter((entry) =>
    listFacts(entry, `${KINDS[of]?.fact ?? of}.`).some((fact) => fact.id === id),
  );
  const change = changes.at(-1);
  // A record that the program stored twice is explained by a message that arrived twice.
  const isCause = kind === "too many" ? hasArrivedTwice : wasSentAbout(id);
  const relevant = kind === "too many" ? changes : changes.slice(-1);
  const messages = relevant.flatMap((entry) => ("messages" in entry ? entry.messages : []));
  const read = (messageId: string) =>
    unwrap(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } })).catch(() => undefined);
  const message = (await Promise.all(messages.map(read))).find((each) => each && isCause(each));
  const report = message ? toMessageEvidence(message) : change && findResponse(change, id, entries);
  const { data } = await control.GET("/_sandbox/why/{id}", { params: { path: { id } } });
  return {
    ...difference,
    says: describeDifference(difference, change),
    ...(report ? { told: report } : {}),
    story: (data?.history ?? [])
      .slice(0, MAX_HISTORY)
      .map((each) => ({ id: each.cause.id, at: each.at, says: `${each.cause.title}: ${each.change}` })),
  };
}

function describeDifference({ kind, of, id, member, truth, program }: Difference, change: Entry | undefined): string {
  const since = change ? `, since ${change.at}` : "";
  if (kind === "missing") {
    const { status, state } = truth as Fields;
    return `${of} ${id} is missing: it is ${String(status ?? state ?? "existing")}${since}`;
  }
  if (kind === "too many")
    return truth ? `${of} ${id} exists more than once` : `${of} ${id} does not exist in the sandbox`;
  const format = (value: unknown) => (JSON.stringify(value) ?? "missing").slice(0, 80);
  return `${of} ${id}: ${member} is ${format(program)} and should be ${format(truth)}${since}`;
}

/** A message that was sent to no receiver has not informed the program. */
const wasSentAbout =
  (id: string) =>
  ({ deliveries, body }: Message): boolean =>
    deliveries.length > 0 && JSON.stringify(body.payload).includes(`"${id}"`);

const hasArrivedTwice = ({ deliveries }: Message): boolean =>
  deliveries.some(({ attempts }) => attempts.filter(({ answer }) => answer !== undefined).length > 1);

function toMessageEvidence({ id, created_at, kind, deliveries: [delivery] }: Message): Evidence {
  const attempts = delivery?.attempts ?? [];
  const answers = attempts.slice(0, 5).map(({ answer, outcome }) => answer?.status ?? outcome.toLowerCase());
  const faults = [...new Set(attempts.flatMap(({ fault }) => fault?.name ?? []))];
  const fate = delivery?.state === "DROPPED" ? "never sent" : answers.join(", ") || "not sent yet";
  return { id, at: created_at, says: `${kind} → ${fate}${faults.length > 0 ? ` (${faults.join(", ")})` : ""}` };
}

/** Finds the program's own request that made the change, or the first later read whose response contains the record. */
function findResponse(change: Entry, id: string, entries: readonly Entry[]): Evidence | undefined {
  const requests = entries.filter(isRequest);
  const call =
    requests.find((each) => each === change) ??
    requests.find((each) => each.seq > change.seq && isRead(each) && each.touched.includes(id));
  if (!call) return undefined;
  const faults = call.faults.map(({ name }) => name);
  return toEvidence(call, faults.length > 0 ? ` (${faults.join(", ")})` : "");
}

const isRead = (request: RequestEntry): boolean => request.method === "GET" && isSuccess(request);

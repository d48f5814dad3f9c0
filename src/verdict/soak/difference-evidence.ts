// Explains each difference: which message or response should have informed the program, and what happened to the record
// last.
import { unwrap } from "../../client/control.ts";
import type { Evidence } from "../check.ts";
import { type Entry, isRequest, isSuccess, type Message, toEvidence } from "../observed.ts";
import type { RunContext } from "../run-context.ts";
import type { Difference } from "./differences.ts";
import type { FoundDifference } from "./result.ts";
import { type Fields, findLastChanges, KINDS, listMessageIds, type Truth } from "./truth.ts";

interface EvidenceSources {
  context: RunContext;
  entries: readonly Entry[];
  truth: Truth;
  /** Formats the command that shows the history of a record. */
  why(id: string): string;
}

/** Fields that a probe prints for a booking, but that the service keeps in its order. */
const ORDER_FIELDS = new Set(["total", "payment_status"]);
const MAX_HISTORY = 3;

export async function explainDifference(difference: Difference, sources: EvidenceSources): Promise<FoundDifference> {
  const { id, kind } = difference;
  const order = findOrder(difference, sources.truth);
  const change = findChange(difference, order, sources.entries);
  // A record that the program stored twice is explained by a message that arrived twice.
  const twice = kind === "too many" ? await findRepeated(id, sources) : undefined;
  const evidence = twice ?? (change && ((await findMessage(change, id, sources)) ?? findResponse(change, id, sources)));
  return {
    ...difference,
    says: describeDifference(difference, change),
    ...(evidence ? { told: evidence } : {}),
    story: await readHistory(order ?? id, sources),
    why: sources.why(id),
  };
}

function findChange({ of, id }: Difference, order: string | undefined, entries: readonly Entry[]): Entry | undefined {
  const change = order === undefined ? undefined : findLastChanges(entries, "order").get(order);
  return change ?? findLastChanges(entries, KINDS[of]?.fact ?? of).get(id);
}

/** Finds the order of the booking, if the field is one of the order. */
function findOrder({ of, id, member = "" }: Difference, truth: Truth): string | undefined {
  const order = truth.get(of)?.get(id)?.order_id;
  const isOrderField = of === "bookings" && ORDER_FIELDS.has(member.split(".")[0] ?? "");
  return isOrderField && typeof order === "string" ? order : undefined;
}

function describeDifference({ kind, of, id, member, truth, program }: Difference, change: Entry | undefined): string {
  const since = change ? `, since ${change.at}` : "";
  if (kind === "missing") {
    const { status, state } = truth as Fields;
    return `${of} ${id} is missing: it is ${String(status ?? state ?? "existing")}${since}`;
  }
  if (kind === "too many")
    return truth ? `${of} ${id} exists more than once` : `${of} ${id} does not exist in the sandbox`;
  return `${of} ${id}: ${member} is ${formatFieldValue(program)} and should be ${formatFieldValue(truth)}${since}`;
}

function formatFieldValue(value: unknown): string {
  if (typeof value === "object" && value !== null && "currency" in value && "value" in value)
    return `${String(value.value)} ${String(value.currency)}`;
  return (JSON.stringify(value) ?? "missing").slice(0, 80);
}

/** Finds the message that the change sent about the record. */
async function findMessage(change: Entry, id: string, { context }: EvidenceSources): Promise<Evidence | undefined> {
  const messages = await loadMessages("messages" in change ? change.messages : [], context);
  // A message that was sent to no receiver has not informed the program.
  const isAbout = (message: Message) =>
    message.deliveries.length > 0 && JSON.stringify(message.body.payload).includes(`"${id}"`);
  const message = messages.find(isAbout);
  return message && toMessageEvidence(message);
}

/** Finds the message about the record that arrived more than once. */
async function findRepeated(id: string, { context, entries }: EvidenceSources): Promise<Evidence | undefined> {
  const messages = await loadMessages(listMessageIds(entries, id), context);
  const isRepeated = ({ deliveries }: Message) =>
    deliveries.some(({ attempts }) => attempts.filter(({ answer }) => answer !== undefined).length > 1);
  const message = messages.find(isRepeated);
  return message && toMessageEvidence(message);
}

/** Omits messages that the sandbox no longer keeps. */
async function loadMessages(ids: readonly string[], { control }: Pick<RunContext, "control">): Promise<Message[]> {
  const read = (messageId: string) =>
    unwrap(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } })).catch(() => undefined);
  return (await Promise.all(ids.map(read))).filter((message) => message !== undefined);
}

const toMessageEvidence = (message: Message): Evidence => ({
  id: message.id,
  at: message.created_at,
  says: `${message.kind} → ${formatFate(message)}`,
});

function formatFate({ deliveries }: Message): string {
  const [delivery] = deliveries;
  const attempts = delivery?.attempts ?? [];
  if (delivery?.state === "DROPPED") return `never sent${formatFaults(attempts)}`;
  const answers = attempts.map(({ answer, outcome }) => answer?.status ?? outcome.toLowerCase());
  return answers.length === 0 ? "not sent yet" : `${answers.slice(0, 5).join(", ")}${formatFaults(attempts)}`;
}

function formatFaults(attempts: Message["deliveries"][number]["attempts"]): string {
  const names = new Set(attempts.flatMap(({ fault }) => (fault ? [fault.name] : [])));
  return names.size === 0 ? "" : ` (${[...names].join(", ")})`;
}

/** Finds the program's own request that made the change, or the first later read whose response contains the record. */
function findResponse(change: Entry, id: string, { entries }: EvidenceSources): Evidence | undefined {
  const call = isRequest(change)
    ? change
    : entries.find(
        (entry) =>
          isRequest(entry) &&
          entry.seq > change.seq &&
          entry.method === "GET" &&
          isSuccess(entry) &&
          entry.touched.includes(id),
      );
  if (!call || !isRequest(call)) return undefined;
  const faults = call.faults.map(({ name }) => name);
  return toEvidence(call, faults.length > 0 ? ` (${faults.join(", ")})` : "");
}

async function readHistory(id: string, { context }: EvidenceSources): Promise<Evidence[]> {
  const { data } = await context.control.GET("/_sandbox/why/{id}", { params: { path: { id } } });
  return (data?.history ?? [])
    .slice(0, MAX_HISTORY)
    .map(({ at, cause, change }) => ({ id: cause.id, at, says: `${cause.title}: ${change}` }));
}

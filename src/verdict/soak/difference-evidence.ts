// Each difference with what would have prevented it: the message about the last change of the record and what became of it, or the first answer
// with the record after that change; and the last that happened to the record.
import { unwrap } from "../../client/control.ts";
import type { Evidence } from "../check.ts";
import { type Entry, evidenceOf, isRequest, type Message, succeeded } from "../observed.ts";
import type { RunContext } from "../run-context.ts";
import type { Difference } from "./differences.ts";
import type { FoundDifference } from "./result.ts";
import { changesIn, type Fields, KINDS, messagesAbout, type Truth } from "./truth.ts";

interface Telling {
  context: RunContext;
  entries: readonly Entry[];
  truth: Truth;
  /** The command that tells all about a record, given its id. */
  why(id: string): string;
}

/** Members of a booking that are really its order's. */
const OF_ORDER = new Set(["total", "payment_status"]);
/** Changes of a record that are shown. */
const STORY = 3;

/** The difference with its sentence, its evidence and the command that tells the rest. */
export async function explainedBy(difference: Difference, telling: Telling): Promise<FoundDifference> {
  const { of, id, member = "", kind } = difference;
  const change = changeOf(difference, telling);
  // What the program has twice it was told twice.
  const twice = kind === "too many" ? await findRepeated(id, telling) : undefined;
  const evidence = twice ?? (change && ((await messageOf(change, id, telling)) ?? answerOf(change, id, telling)));
  return {
    ...difference,
    says: wordsOf(difference, change),
    ...(evidence ? { told: evidence } : {}),
    story: await storyOf(idText(of, id, member, telling), telling),
    why: telling.why(id),
  };
}

function changeOf({ of, id, member = "" }: Difference, { entries, truth }: Telling): Entry | undefined {
  const own = changesIn(entries, KINDS[of]?.fact ?? of).get(id);
  const order = truth.get(of)?.get(id)?.order_id;
  if (of !== "bookings" || !OF_ORDER.has(member.split(".")[0] ?? "") || typeof order !== "string") return own;
  return changesIn(entries, "order").get(order) ?? own;
}

const idText = (of: string, id: string, member: string, { truth }: Telling): string =>
  of === "bookings" && OF_ORDER.has(member.split(".")[0] ?? "") ? String(truth.get(of)?.get(id)?.order_id ?? id) : id;

function wordsOf({ kind, of, id, member, truth, program }: Difference, change: Entry | undefined): string {
  const since = change ? `, since ${change.at}` : "";
  if (kind === "missing") {
    const { status, state } = truth as Fields;
    return `${of} ${id} is missing: it is ${String(status ?? state ?? "there")}${since}`;
  }
  if (kind === "too many")
    return truth ? `${of} ${id} is there more than once` : `${of} ${id} is none of the sandbox's records`;
  return `${of} ${id}: ${member} is ${display(program)} and should be ${display(truth)}${since}`;
}

function display(value: unknown): string {
  if (typeof value === "object" && value !== null && "currency" in value && "value" in value)
    return `${String(value.value)} ${String(value.currency)}`;
  return (JSON.stringify(value) ?? "absent").slice(0, 80);
}

/** The message that the change sent about the record. */
async function messageOf(change: Entry, id: string, { context }: Telling): Promise<Evidence | undefined> {
  const messages = await readMessages("messages" in change ? change.messages : [], context);
  // A message that went to nobody has informed nobody.
  const about = (message: Message) =>
    message.deliveries.length > 0 && JSON.stringify(message.body.payload).includes(`"${id}"`);
  const message = messages.find(about);
  return message && toEvidence(message);
}

/** The message about the record that arrived more than once. */
async function findRepeated(id: string, { context, entries }: Telling): Promise<Evidence | undefined> {
  const messages = await readMessages(messagesAbout(entries, id), context);
  const isRepeated = ({ deliveries }: Message) =>
    deliveries.some(({ attempts }) => attempts.filter(({ answer }) => answer !== undefined).length > 1);
  const message = messages.find(isRepeated);
  return message && toEvidence(message);
}

/** Those that the sandbox still has. */
async function readMessages(ids: readonly string[], { control }: Pick<RunContext, "control">): Promise<Message[]> {
  const read = (messageId: string) =>
    unwrap(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } })).catch(() => undefined);
  return (await Promise.all(ids.map(read))).filter((message) => message !== undefined);
}

const toEvidence = (message: Message): Evidence => ({
  id: message.id,
  at: message.created_at,
  says: `${message.kind} → ${fateOf(message)}`,
});

function fateOf({ deliveries }: Message): string {
  const [delivery] = deliveries;
  const attempts = delivery?.attempts ?? [];
  if (delivery?.state === "DROPPED") return `never sent${faultOf(attempts)}`;
  const answers = attempts.map(({ answer, outcome }) => answer?.status ?? outcome.toLowerCase());
  return answers.length === 0 ? "not sent yet" : `${answers.slice(0, 5).join(", ")}${faultOf(attempts)}`;
}

function faultOf(attempts: Message["deliveries"][number]["attempts"]): string {
  const names = new Set(attempts.flatMap(({ fault }) => (fault ? [fault.name] : [])));
  return names.size === 0 ? "" : ` (${[...names].join(", ")})`;
}

/** The program's own call that made the change, or the first read after it whose answer has the record. */
function answerOf(change: Entry, id: string, { entries }: Telling): Evidence | undefined {
  const call = isRequest(change)
    ? change
    : entries.find(
        (entry) =>
          isRequest(entry) &&
          entry.seq > change.seq &&
          entry.method === "GET" &&
          succeeded(entry) &&
          entry.touched.includes(id),
      );
  if (!call || !isRequest(call)) return undefined;
  const faults = call.faults.map(({ name }) => name);
  return evidenceOf(call, faults.length > 0 ? ` (${faults.join(", ")})` : "");
}

async function storyOf(id: string, { context }: Telling): Promise<Evidence[]> {
  const { data } = await context.control.GET("/_sandbox/why/{id}", { params: { path: { id } } });
  return (data?.history ?? [])
    .slice(0, STORY)
    .map(({ at, cause, change }) => ({ id: cause.id, at, says: `${cause.title}: ${change}` }));
}

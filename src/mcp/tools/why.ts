// why: anything with an id explained. A refused request with its rule, its checks and the smallest change that works; what an act or a
// request caused; a webhook message with what its receivers answered; a record with what made it as it is.
import type { Schemas } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import { formatBasis, formatCheck } from "../../client/why-lines.ts";
import { createStory, toTextLines } from "../../client/why-story.ts";
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { formatStates } from "../../platform/states-text.ts";
import { type Block, data } from "../answer.ts";
import { callOf, type Session, type Tool, ToolRejection } from "../tool.ts";

type Why = Schemas["Why"];
type Logged = Schemas["JournalRequest"];

export const why: Tool = {
  name: "why",
  title: "Tell why",
  description:
    "Why something is as it is. Of a refused request or act: the rule, what each check looked at, what it rests on, and the smallest change that works. Of anything else: what caused it and what it caused. Of a record: its history. Without `id`: the latest refusal.",
  input: tools.why.input,
  example: {},
  async run({ id }: { id?: string }, session) {
    const explained = await session
      .ask((control) =>
        id === undefined
          ? control.GET("/_sandbox/why")
          : control.GET("/_sandbox/why/{id}", { params: { path: { id } } }),
      )
      .catch(otherwise(id, session));
    const sent = await sentBy(explained, session);
    return [...outcomeOf(explained), ...storyBlocks(explained), ...sent, ...waysOn(explained)];
  },
};

const ELSEWHERE = callOf("world", { action: "use", id: "default" });

/** What "not found" means in the words of tools: the log is bounded, and each world has its own. */
const otherwise =
  (id: string | undefined, { world }: Session) =>
  (error: unknown): never => {
    if (!(error instanceof SandboxError) || error.status !== 404 || /no world/.test(error.message)) throw error;
    const elsewhere = world() === "default" ? [] : [ELSEWHERE];
    const reject = (sentence: string, ...tries: string[]) => new ToolRejection(sentence, tries, "NOT_FOUND");
    if (id === undefined)
      throw reject(`In world ${world()} no request was refused.`, callOf("requests", {}), ELSEWHERE);
    const kind = id.startsWith("req-") ? "requests" : "messages";
    const what = kind === "requests" ? "request" : id.startsWith("msg_") ? "message" : "request, message or record";
    const sentence = `World ${world()} has no ${what} ${JSON.stringify(id)}; the latest are kept, and another world may have it.`;
    throw reject(sentence, callOf("requests", { of: kind }), ...elsewhere);
  };

/**
 * A code is one of the service's, unless an armed fault said otherwise. What does not look like a code may be anybody's
 * words, which must not stand outside the marks.
 */
const codeOf = (code: string): string => (/^[A-Za-z][A-Za-z_]{2,60}$/.test(code) ? ` ${code}` : "");

/** In our own words, without a word of others. */
function outcomeOf({ kind, id, title, refusal, facts, messages }: Why): Block[] {
  const named = kind[0]?.toUpperCase() + kind.slice(1);
  if (refusal) {
    const { status, code } = refusal;
    // An operationId is one of ours; any other title holds what a client sent.
    const called = /^\w+$/.test(title) ? ` (${title})` : "";
    if (kind === "act") return [`Act ${id} was refused ${status}${codeOf(code)}.`];
    const lost = facts.length > 0 ? "was carried out, and its answer was lost" : "was not answered";
    if (status === null) return [`Request ${id} ${lost}: an armed fault broke the connection.`];
    return [`Request ${id}${called} was answered ${status}${codeOf(code)}.`];
  }
  if (kind === "record") return ["The record, with what changed it, newest first:"];
  const [message] = messages;
  if (kind !== "message" || !message) return [`${named} ${id}:`];
  const outcome = message.deliveries.length === 0 ? "went nowhere:" : "is";
  return [`Message ${id} (${message.kind}) ${outcome} ${formatStates(message.deliveries)}.`];
}

/** Characters of a value within a sentence. */
const WORDING = { longest: 200 };

function storyBlocks(why: Why): Block[] {
  const { title, at, cause, notes = [], refusal } = why;
  // The same story as on the command line and in the console.
  const sections = createStory(why, WORDING).map((each) => [each.title, each.lines.flatMap(toTextLines)]);
  const story = { title, at, cause, ...Object.fromEntries(sections), ...(notes.length > 0 ? { notes } : {}) };
  if (!refusal) return [data(story)];
  const { rule, message, smallest, note } = refusal;
  const [checks, rests_on] = [refusal.checks.map(formatCheck), refusal.rests_on.map(formatBasis)];
  return [data({ rule, message, checks, rests_on, smallest_change: smallest, note }), data(story)];
}

/** What was sent and answered, in full. */
async function sentBy({ kind, id }: Why, { ask }: Session): Promise<Block[]> {
  if (kind !== "request") return [];
  const params = { path: { requestId: id } };
  const logged: Logged = await ask((control) => control.GET("/_sandbox/requests/{requestId}", { params }));
  const { method, path, client_id, violations, notes, request, answer } = logged;
  const wrong = violations.map((each) => `${each.location.join(".")}: ${each.message}`);
  const remarks = { ...(wrong.length > 0 && { violations: wrong }), ...(notes.length > 0 && { notes }) };
  return [data({ asked: { method, path, client_id, ...request }, answer, ...remarks })];
}

function waysOn({ refusal, kind, title }: Why): Block[] {
  if (!refusal) return [];
  const { code, status } = refusal;
  const operation = /^\w+$/.exec(title)?.[0];
  const takes =
    kind === "act" ? callOf("describe_act", { act: operation }) : callOf("read_operation", { operation_id: operation });
  return [
    ...(codeOf(code) === "" ? [] : [`More on it: ${callOf("search_docs", { query: code })}`]),
    ...(operation ? [`What it takes: ${takes}`] : []),
    ...(status === null || status >= 500 ? [`Armed faults: ${callOf("faults", {})}`] : []),
  ];
}

// The tools requests and why read the log of the selected world. `requests` lists requests with their responses, newest first, or webhook
// messages. `why` explains anything with an id: a rejected request with its rule, its checks and the smallest change that works; the effects
// of an act or a request; a webhook message with the responses of its receivers; a record with its history.
import type { Schemas } from "../../client/control.ts";
import { formatBasis, formatCheck } from "../../client/why-lines.ts";
import { createStory, toTextLines } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import { type Block, markData } from "../result-pages.ts";
import { formatCall, type Session, type ToolDefinition } from "../tool.ts";

interface RequestsInput {
  of: "requests" | "messages";
  kind?: Schemas["Kind"];
  limit: number;
}

export const requests: ToolDefinition = {
  name: "requests",
  title: "List requests or messages",
  description:
    "Lists the requests to the API in this world, newest first, with status and code; or the webhook messages with their deliveries (`of: messages`). Can wait for them.",
  example: { status: "4xx" },
  examples: [{ of: "messages" }],
  run: ({ of, ...query }: RequestsInput, session) =>
    of === "requests" ? listRequests(query, session) : listMessages(query, session),
};

type Query = Omit<RequestsInput, "of">;

async function listRequests(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/requests", { params: { query } }));
  const rows = items.map(({ id, at, method, path, operation, status, answer, messages }) => ({
    id,
    at,
    request: `${method} ${path}`,
    operation,
    status,
    // The error code is included, because a status alone rarely tells what to do.
    code: (answer?.body as { code?: unknown } | null | undefined)?.code,
    ...(messages.length > 0 ? { messages } : {}),
  }));
  return formatRows("request", rows);
}

async function listMessages(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/messages", { params: { query } }));
  const rows = items.map(({ id, kind, created_at, caused_by, deliveries }) => ({
    id,
    kind,
    created_at,
    caused_by,
    deliveries: deliveries.map(({ url, state, attempts }) => ({ url, state, attempts: attempts.length })),
  }));
  // The model would otherwise search for the error in its receiver.
  const isSilent = rows.every(({ deliveries }) => deliveries.length === 0);
  return formatRows("message", rows, isSilent ? [NO_SUBSCRIPTION] : []);
}

/** The log is oldest first, but a model reads the top of a page and needs the latest. */
function formatRows(what: string, rows: readonly { id: string }[], notes: readonly string[] = []): readonly Block[] {
  if (rows.length === 0) return [`No ${what}s match.`];
  const example = `Explain one: ${formatCall("why", { id: rows.at(-1)?.id })}`;
  return [`${count(rows.length, what)}, newest first:`, markData(rows.toReversed()), ...notes, example];
}

const NO_SUBSCRIPTION = `No subscription received these messages (${NO_SUBSCRIBER}). Create one: ${formatCall("read_operation", { operation_id: "createWebhookSubscription" })}`;

type Why = Schemas["Why"];

export const why: ToolDefinition = {
  name: "why",
  title: "Explain why",
  description:
    "Explains anything with an id. For a rejected request or act: the rule, the values of each check, the sources, and the smallest change that works. For a record: its history. For anything else: its cause and its effects. Without `id`: the latest rejection.",
  example: {},
  async run({ id }: { id?: string }, session) {
    const explained = await session.ask((control) =>
      id === undefined ? control.GET("/_sandbox/why") : control.GET("/_sandbox/why/{id}", { params: { path: { id } } }),
    );
    const sent = await showRequest(explained, session);
    return [...formatOutcome(explained), ...formatTrace(explained), ...sent, ...listNextSteps(explained)];
  },
};

/** Omits a code of an unusual form. A fault can set any text, which must not appear outside the marks. */
const formatCode = (code: string): string => (/^[A-Za-z][A-Za-z_]{2,60}$/.test(code) ? ` ${code}` : "");

/** Summarizes the outcome without any text that others wrote. */
function formatOutcome({ kind, id, title, refusal, facts }: Why): Block[] {
  if (refusal) {
    const { status, code } = refusal;
    // An operationId is safe to show; any other title contains text of a client.
    const called = /^\w+$/.test(title) ? ` (${title})` : "";
    if (kind === "act") return [`Act ${id} was rejected with ${status}${formatCode(code)}.`];
    const lost = facts.length > 0 ? "was carried out, but its response was lost" : "got no response";
    if (status === null) return [`Request ${id} ${lost}: an armed fault broke the connection.`];
    return [`The response to request ${id}${called} was ${status}${formatCode(code)}.`];
  }
  return [`${kind[0]?.toUpperCase()}${kind.slice(1)} ${id}:`];
}

function formatTrace(why: Why): Block[] {
  const { title, at, cause, notes = [], refusal } = why;
  // The command line and the console show the same trace.
  const sections = createStory(why, { longest: 200 }).map((each) => [
    each.title,
    each.lines.flatMap((line) => toTextLines(line)),
  ]);
  const story = { title, at, cause, ...Object.fromEntries(sections), ...(notes.length > 0 ? { notes } : {}) };
  if (!refusal) return [markData(story)];
  const { rule, message, smallest, note } = refusal;
  const checks = refusal.checks.map(formatCheck);
  const rests_on = refusal.rests_on.map(formatBasis);
  return [markData({ rule, message, checks, rests_on, smallest_change: smallest, note }), markData(story)];
}

/** Shows the complete request and response. */
async function showRequest({ kind, id }: Why, { ask }: Session): Promise<Block[]> {
  if (kind !== "request") return [];
  const params = { path: { requestId: id } };
  const logged = await ask((control) => control.GET("/_sandbox/requests/{requestId}", { params }));
  const { method, path, client_id, violations, notes, request, answer } = logged;
  const wrong = violations.map((each) => `${each.location.join(".")}: ${each.message}`);
  const remarks = { ...(wrong.length > 0 && { violations: wrong }), ...(notes.length > 0 && { notes }) };
  return [markData({ asked: { method, path, client_id, ...request }, answer, ...remarks })];
}

function listNextSteps({ refusal, kind, title }: Why): Block[] {
  if (!refusal) return [];
  const { code, status } = refusal;
  const operation = /^\w+$/.exec(title)?.[0];
  const args = kind === "act" ? { act: operation } : { operation_id: operation };
  const describe = formatCall(kind === "act" ? "describe_act" : "read_operation", args);
  return [
    ...(formatCode(code) === "" ? [] : [`Documentation: ${formatCall("search_docs", { query: code })}`]),
    ...(operation ? [`Expected input: ${describe}`] : []),
    ...(status === null || status >= 500 ? [`Armed faults: ${formatCall("faults", {})}`] : []),
  ];
}

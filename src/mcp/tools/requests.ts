// The tool requests shows the requests of this world with their responses, newest first, or its webhook messages.
import type { Schemas } from "../../client/control.ts";
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { count } from "../../platform/count.ts";
import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import { type Block, markData } from "../result-pages.ts";
import { formatCall, type Session, type Tool } from "../tool.ts";

const { requests: row } = tools;

interface RequestsInput {
  of: "requests" | "messages";
  kind?: Schemas["Kind"];
  limit: number;
}

export const requests: Tool = {
  name: "requests",
  title: "List requests or messages",
  description:
    "Lists the requests to the API in this world, newest first, with status and code; or the webhook messages with their deliveries (`of: messages`). Can wait for them.",
  input: row.input,
  actions: row,
  example: { status: "4xx" },
  examples: [{ of: "messages" }],
  run: ({ of, ...query }: RequestsInput, session) =>
    of === "requests" ? listRequests(query, session) : listMessages(query, session),
};

type Query = Omit<RequestsInput, "of">;

async function listRequests(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/requests", { params: { query } }));
  if (items.length === 0) return ["No requests match."];
  // The log is oldest first, but a model reads the top of a page and needs the latest.
  const rows = items.toReversed().map((item) => ({
    id: item.id,
    at: item.at,
    request: `${item.method} ${item.path}`,
    operation: item.operation,
    status: item.status,
    // The error code is included, because a status alone rarely tells what to do.
    code: (item.answer?.body as { code?: unknown } | null | undefined)?.code,
    ...(item.messages.length > 0 ? { messages: item.messages } : {}),
  }));
  return formatRows("request", rows);
}

async function listMessages(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/messages", { params: { query } }));
  if (items.length === 0) return ["No messages match."];
  const rows = items.toReversed().map(({ id, kind: type, created_at, caused_by, deliveries }) => ({
    id,
    kind: type,
    created_at,
    caused_by,
    deliveries: deliveries.map(({ url, state, attempts }) => ({ url, state, attempts: attempts.length })),
  }));
  // The model would otherwise search for the error in its receiver.
  const isSilent = rows.every(({ deliveries }) => deliveries.length === 0);
  return formatRows("message", rows, isSilent ? [NO_SUBSCRIPTION] : []);
}

function formatRows(what: string, rows: readonly { id: string }[], notes: readonly string[] = []): readonly Block[] {
  const example = `Explain one: ${formatCall("why", { id: rows[0]?.id })}`;
  return [`${count(rows.length, what)}, newest first:`, markData(rows), ...notes, example];
}

const NO_SUBSCRIPTION = `No subscription received these messages (${NO_SUBSCRIBER}). Create one: ${formatCall("read_operation", { operation_id: "createWebhookSubscription" })}`;

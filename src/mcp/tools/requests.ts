// requests: what the API received in this world and answered, newest first; or the webhook messages that were sent.
import type { Schemas } from "../../client/control.ts";
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { count } from "../../platform/count.ts";
import { NOBODY } from "../../platform/states-text.ts";
import { type Block, data } from "../answer.ts";
import { callOf, type Session, type Tool } from "../tool.ts";

const { requests: row } = tools;

interface RequestsInput {
  of: "requests" | "messages";
  kind?: Schemas["Kind"];
  limit: number;
}

export const requests: Tool = {
  name: "requests",
  title: "See the requests that came",
  description:
    "The requests to the API in this world, newest first, with status and code; or the webhook messages with their deliveries (`of: messages`). Can wait for them.",
  input: row.input,
  actions: row,
  example: { status: "4xx" },
  examples: [{ of: "messages" }],
  run: ({ of, ...query }: RequestsInput, session) =>
    of === "requests" ? logged(query, session) : sent(query, session),
};

type Query = Omit<RequestsInput, "of">;

async function logged(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/requests", { params: { query } }));
  if (items.length === 0) return ["No such request yet."];
  // The log is oldest first; a model reads the top of a page, and asks about the latest.
  const rows = items.toReversed().map((item) => ({
    id: item.id,
    at: item.at,
    request: `${item.method} ${item.path}`,
    operation: item.operation,
    status: item.status,
    // The code of the error, since a status alone seldom says what to do.
    code: (item.answer?.body as { code?: unknown } | null | undefined)?.code,
    ...(item.messages.length > 0 ? { messages: item.messages } : {}),
  }));
  return listRows("request", rows);
}

async function sent(query: Query, { ask }: Session): Promise<readonly Block[]> {
  const { items } = await ask((control) => control.GET("/_sandbox/messages", { params: { query } }));
  if (items.length === 0) return ["No such message yet."];
  const rows = items.toReversed().map(({ id, kind: type, created_at, caused_by, deliveries }) => ({
    id,
    kind: type,
    created_at,
    caused_by,
    deliveries: deliveries.map(({ url, state, attempts }) => ({ url, state, attempts: attempts.length })),
  }));
  // Otherwise the model would look for the fault in its receiver.
  const isSilent = rows.every(({ deliveries }) => deliveries.length === 0);
  return listRows("message", rows, isSilent ? [WENT_NOWHERE] : []);
}

function listRows(what: string, rows: readonly { id: string }[], notes: readonly string[] = []): readonly Block[] {
  const example = `One of them: ${callOf("why", { id: rows[0]?.id })}`;
  return [`${count(rows.length, what)}, newest first:`, data(rows), ...notes, example];
}

const WENT_NOWHERE = `These went nowhere, since ${NOBODY}: ${callOf("read_operation", { operation_id: "createWebhookSubscription" })}`;

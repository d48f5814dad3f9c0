// The tool requests shows the requests of this world with their responses, newest first, or its webhook messages.
import type { Schemas } from "../../client/control.ts";
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

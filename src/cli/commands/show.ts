// sandbox show: shows an entry, message or record by its id, with everything that it caused.
import type { Schemas } from "../../client/control.ts";
import { formatOrderBooks } from "../answers/books.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { type Detail, escapeText, formatBody, type Look } from "../terminal/line.ts";
import { formatEntry } from "../terminal/log-line.ts";
import { formatMessage } from "../terminal/message-view.ts";
import { formatTrace } from "../terminal/why-view.ts";

export const show: Command = {
  name: "show",
  summary: "Show an entry, message or record with all its effects.",
  arguments: [
    ["<id>", "Id of a request, act, clock move, message, delivery, record or journal entry, or an order number."],
  ],
  options: [option.flag("full", "Show complete bodies, headers and values."), ...clientOptions],
  epilogue: [
    "  sandbox show req-4f0c-12     # the request, its response, and what it changed",
    "  sandbox show msg_4f0c        # the body, and each attempt of its deliveries",
    "  sandbox show bkg-evening     # the record, and its versions",
    "  sandbox show 1042            # the order with its T-account",
  ].join("\n"),
  run: showById,
};

async function showById({ args: [id = ""], given, terminal }: Call): Promise<undefined> {
  const client = createClient(given);
  const why = await client.ask(client.control.GET("/_sandbox/why/{id}", { params: { path: { id } } }));
  const size = { full: given.flag("full") };
  const { document, lines } = await findDocument(why, client, terminal, size);
  if (given.flag("json")) {
    const { causes, changes, entries, messages, history } = why;
    return void terminal.json({ ...document, kind: why.kind, caused: { causes, changes, entries, messages, history } });
  }
  terminal.print([...lines, "", ...formatTrace(why, terminal, size)].join("\n").trimEnd());
}

interface Found {
  /** Undefined if the sandbox only has the explanation. */
  document?: object;
  lines: string[];
}

async function findDocument(
  { kind, id }: Schemas["Why"],
  { control }: Client,
  look: Look,
  size: Detail,
): Promise<Found> {
  const nothing = { lines: [`${kind} ${id}`] };
  if (kind === "message") {
    const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } });
    return data ? { document: data, lines: [formatMessage(data, look, size)] } : nothing;
  }
  if (kind !== "record") {
    const { data } = await control.GET("/_sandbox/log/{id}", { params: { path: { id } } });
    return data ? { document: data, lines: [formatEntry(data, look, size)] } : nothing;
  }
  const { data: { collection = "" } = {} } = await control.GET("/_sandbox/history/{id}", { params: { path: { id } } });
  if (collection === "orders") {
    const { data } = await control.GET("/_sandbox/books/orders/{orderId}", { params: { path: { orderId: id } } });
    return data ? { document: data, lines: formatOrderBooks(data, look) } : nothing;
  }
  const path = { collection: collection as Schemas["CollectionName"], id };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params: { path } });
  if (data === undefined) return nothing;
  const title = escapeText(`${collection} ${id}: ${data.head.title}`);
  const body = formatBody(data.record, look, size).map((line) => `  ${line}`);
  return { document: data, lines: [look.paint("bold", title), ...body] };
}

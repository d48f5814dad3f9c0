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

async function showById({ args: [id = ""], given, terminal }: Call): Promise<number> {
  const client = createClient(given);
  const why = await client.ask(client.control.GET("/_sandbox/why/{id}", { params: { path: { id } } }));
  const found = await findDocument(why, client);
  if (given.flag("json")) {
    const { causes, changes, entries, messages, history } = why;
    terminal.json({ ...found?.document, kind: why.kind, caused: { causes, changes, entries, messages, history } });
    return 0;
  }
  const size = { full: given.flag("full") };
  const lines = found?.draw(terminal, size) ?? [`${why.kind} ${why.id}`];
  terminal.print([...lines, "", ...formatTrace(why, terminal, size)].join("\n").trimEnd());
  return 0;
}

interface Found {
  document: object;
  draw(look: Look, size: Detail): string[];
}

/** Returns undefined if the sandbox only has the explanation. */
async function findDocument({ kind, id }: Schemas["Why"], { control }: Client): Promise<Found | undefined> {
  if (kind === "record") return findRecord(id, control);
  if (kind === "message") {
    const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId: id } } });
    return data && { document: data, draw: (look, size) => [formatMessage(data, look, size)] };
  }
  const { data } = await control.GET("/_sandbox/log/{id}", { params: { path: { id } } });
  return data && { document: data, draw: (look, size) => [formatEntry(data, look, size)] };
}

async function findRecord(id: string, control: Client["control"]): Promise<Found | undefined> {
  const { data: { collection = "" } = {} } = await control.GET("/_sandbox/history/{id}", { params: { path: { id } } });
  if (collection === "orders") {
    const { data } = await control.GET("/_sandbox/books/orders/{orderId}", { params: { path: { orderId: id } } });
    return data && { document: data, draw: (look) => formatOrderBooks(data, look) };
  }
  const path = { collection: collection as Schemas["CollectionName"], id };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params: { path } });
  if (data === undefined) return undefined;
  const title = `${collection} ${id}: ${data.head.title}`;
  return {
    document: data,
    draw: (look, size) => [
      look.paint("bold", escapeText(title)),
      ...formatBody(data.record, look, size).map((line) => `  ${line}`),
    ],
  };
}

// The books: the accounting entries, as a table or for other programs; what stands on each account; and an order as a T-account.
import { collectEntries, type Entry, readBookPages } from "../../client/book-pages.ts";
import type { Schemas } from "../../client/control.ts";
import { formatAmount, toDigits } from "../../platform/amount-text.ts";
import type { Answer, CallInput, SentCall } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, option } from "../command.ts";
import { columns, fitted, type Terminal, widthOf } from "../terminal/terminal.ts";
import { bookComparison } from "./compare-books.ts";

type Amount = Schemas["BookAmount"];

/** A posting as the service shows it. The specification leaves it open, since an assumption changes its members. */
interface Posting {
  type: string;
  amount: Amount;
  /** Absent where an assumption makes a credit a negative amount. */
  direction?: string;
  vat_rate?: string | number;
}

async function allEntries({ query }: CallInput, _: Call, { ask, control }: Client): Promise<{ items: Entry[] }> {
  const pages = readBookPages({ ...query }, (page) =>
    ask(control.GET("/_sandbox/books/entries", { params: { query: page } })),
  );
  return { items: await collectEntries(pages) };
}

function linesOfEntries({ items }: { items: Entry[] }, { given, terminal }: Call, { input }: SentCall): string[] {
  if (items.length === 0) terminal.say(noneFor(input.query));
  const write = WRITERS[given.text("format") as keyof typeof WRITERS];
  return write(items, terminal);
}

const WRITERS = {
  table: entryLines,
  csv: csvLines,
  /** As --json. */
  json: (items: readonly Entry[]): string[] => [JSON.stringify({ items })],
  hledger: hledgerLines,
};

/** What was looked for stands in it, since another span or order may have entries. */
function noneFor({ from, to, order_id }: CallInput["query"] = {}): string {
  const days = [from ? `on or after ${from}` : "", to ? `before ${to}` : ""].filter(Boolean).join(" and ");
  return `${["Nothing has been booked", days, order_id ? `for order ${order_id}` : ""].filter(Boolean).join(" ")}.`;
}

// The generated type knows only the default of the assumption.
const postingsOf = ({ postings }: Entry): Posting[] => postings as unknown as Posting[];
const causeText = ({ cause }: Pick<Entry, "cause">): string => (cause ? `${cause.kind} ${cause.id}` : "");
/** Debits count up, credits down. */
const signed = ({ direction, amount }: Posting): number => (direction === "CREDIT" ? -amount.value : amount.value);
const isDebit = (posting: Posting): boolean => signed(posting) > 0;
const size = ({ amount }: Posting): string => toDigits(Math.abs(amount.value), amount.exponent);

/** An entry or an account: what stands once, the amounts of each of its rows, and what ends the first of them. */
interface BookRows {
  head: readonly string[];
  amounts: readonly (readonly string[])[];
  tail?: readonly string[];
}

/** A table; on a screen that is too narrow for it, the head of each block stands above its amounts. */
function linesOf(blocks: readonly BookRows[], width: number): string[] {
  const rows = blocks.flatMap(({ head, amounts, tail = [] }) =>
    // Only in the first row of an entry, so that entries are told apart at a glance.
    amounts.map((cells, at) => (at === 0 ? [...head, ...cells, ...tail] : [...head.map(() => ""), ...cells, ""])),
  );
  const lines = columns(rows);
  if (lines.every((line) => widthOf(line) <= width)) return lines;
  // All of them at once, so that their columns are the same.
  const below = columns(blocks.flatMap(({ amounts }) => amounts)).values();
  return blocks.flatMap(({ head, amounts, tail = [] }) => [
    fitted([...head, ...tail].filter(Boolean).join("  "), width),
    ...amounts.map(() => fitted(`    ${below.next().value}`, width)),
  ]);
}

function entryLines(entries: readonly Entry[], { paint, width }: Terminal): string[] {
  const cells = entries.map((entry) => ({
    head: [entry.number, entry.occurred_at, entry.kind],
    amounts: postingsOf(entry).map((posting) => {
      const sides = isDebit(posting) ? [size(posting), ""] : ["", size(posting)];
      return [posting.type, ...sides, entry.currency];
    }),
    tail: [entry.order_number ? `order ${entry.order_number}` : "", paint("dim", causeText(entry))],
  }));
  return linesOf(cells, width);
}

const HEADINGS =
  "entry,number,booked_on,occurred_at,settled_at,kind,order,cause,account,vat_rate,debit,credit,currency";

function csvLines(entries: readonly Entry[]): string[] {
  const rows = entries.flatMap((entry) =>
    postingsOf(entry).map((posting) => {
      const { id, number, booked_on, occurred_at, settled_at = "", kind, order_number = "", currency } = entry;
      const about = [id, number, booked_on, occurred_at, settled_at, kind, order_number, causeText(entry)];
      // Debit and credit are two columns, as spreadsheets of accountants have them; neither has a sign.
      const sides = isDebit(posting) ? [size(posting), ""] : ["", size(posting)];
      return [...about, posting.type, String(posting.vat_rate ?? ""), ...sides, currency].map(quoted).join(",");
    }),
  );
  return [HEADINGS, ...rows];
}

/** RFC 4180: a quote within quotes is doubled. */
const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The journal format of hledger; amounts have a sign there, and no columns. */
function hledgerLines(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => [
    // A transaction ends with a blank line; hledger adds the postings and refuses one that does not balance.
    `${entry.booked_on} (${entry.number}) ${entry.kind}${entry.order_number ? ` order ${entry.order_number}` : ""}`,
    ...postingsOf(entry).map(
      (posting) => `    ${posting.type}  ${formatAmount({ ...posting.amount, value: signed(posting) })}`,
    ),
    "",
  ]);
}

function balanceLines({ accounts, checks, zone, entries }: Schemas["TrialBalance"], { terminal }: Call): string[] {
  const dim = (text: string) => terminal.paint("dim", text);
  const heading = { head: [dim("account"), ""], amounts: [["opening", "debit", "credit", "closing"].map(dim)] };
  const blocks = accounts.map(({ account, currency, exponent, opening, debit, credit, closing }) => ({
    head: [account, currency],
    amounts: [[opening, debit, credit, closing].map((value) => toDigits(value, exponent))],
  }));
  const lines = checks.flatMap(({ holds, sentence, checked, broken, more }) => [
    `${holds ? "holds" : terminal.paint("red", "broken")}  ${sentence} (${checked} checked)`,
    ...broken.map(({ number, message }) => `  ${number}: ${message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]);
  const below = lines.map((line) => fitted(line, terminal.width));
  return [...linesOf([heading, ...blocks], terminal.width), `${entries} entries, days of ${zone}`, ...below];
}

export function orderLines(
  { number, rows, why, ...order }: Schemas["OrderBooks"],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string[] {
  const { charged, paid, refunded, recognised, prepayment, vat } = order;
  // In the order in which an order moves through the accounts.
  const sums = { charged, paid, refunded, recognised, "left in prepayment": prepayment, "VAT of it": vat };
  const cells = rows.map((row) => ({
    head: [row.number, row.occurred_at, row.kind],
    amounts: row.postings.map(({ account, direction, amount }) =>
      direction === "DEBIT" ? [account, formatAmount(amount), ""] : [account, "", formatAmount(amount)],
    ),
    tail: [paint("dim", causeText(row))],
  }));
  const named = Object.entries(sums).map(([name, amount]) => [paint("dim", name), formatAmount(amount)]);
  const lines = linesOf(cells, width);
  return [`Order ${number}`, ...columns(named), ...lines, ...(why ? [fitted(why, width)] : [])];
}

export const books: Readonly<Record<string, Answer>> = {
  "books entries": {
    options: [
      option.text(
        "format",
        "how",
        "table; csv, a line for each posting; json, as by --json; or hledger, the journal that plain-text accounting reads.",
        { choices: Object.keys(WRITERS), default: "table" },
      ),
    ],
    prepare: allEntries,
    show: linesOfEntries,
  },
  "books compare": bookComparison,
  "books balance": { show: balanceLines },
};

// Shows the accounting: entries as a table or for other programs, the trial balance, and an order as a T-account.
import { readBookEntries } from "../../client/books.ts";
import type { Schemas } from "../../client/control.ts";
import { getPostings, type PostingView } from "../../client/reconcile.ts";
import { formatAmount, toDigits } from "../../platform/amount-text.ts";
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, option } from "../command.ts";
import type { Look } from "../terminal/line.ts";
import { formatColumns } from "../terminal/terminal.ts";
import { bookComparison } from "./compare-books.ts";

type Entry = Schemas["BookEntry"];

async function fetchEntries({ query }: CallInput, _: Call, client: Client): Promise<{ items: Entry[] }> {
  return { items: await readBookEntries(client, query) };
}

function formatEntries({ items }: { items: Entry[] }, { given, terminal }: Call): string[] {
  if (items.length === 0) terminal.say("No entry matches.");
  return WRITERS[given.text("format") as keyof typeof WRITERS](items, terminal);
}

const formatCause = ({ cause }: Pick<Entry, "cause">): string => (cause ? `${cause.kind} ${cause.id}` : "");
/** Debits are positive, credits negative. */
const toSigned = ({ direction, amount }: PostingView): number =>
  direction === "CREDIT" ? -amount.value : amount.value;
const isDebit = (posting: PostingView): boolean => toSigned(posting) > 0;
const formatUnsigned = ({ amount }: PostingView): string => toDigits(Math.abs(amount.value), amount.exponent);

/** The two cells of a posting, the first for debits and the second for credits. */
const toSides = (isLeft: boolean, text: string): [string, string] => (isLeft ? [text, ""] : ["", text]);

/** Formats the rows of an entry. `head` and `tail` are shown only in the first one. */
const toBlock = (head: string[], amounts: readonly string[][], tail: string[]): string[][] =>
  amounts.map((cells, at) => (at === 0 ? [...head, ...cells, ...tail] : [...head.map(() => ""), ...cells, ""]));

const formatEntryTable = (entries: readonly Entry[], { paint }: Look): string[] =>
  formatColumns(
    entries.flatMap((entry) => {
      const amounts = getPostings(entry).map((posting) => {
        return [posting.type, ...toSides(isDebit(posting), formatUnsigned(posting)), entry.currency];
      });
      const order = entry.order_number ? `order ${entry.order_number}` : "";
      return toBlock([entry.number, entry.occurred_at, entry.kind], amounts, [order, paint("dim", formatCause(entry))]);
    }),
  );

const HEADINGS =
  "entry,number,booked_on,occurred_at,settled_at,kind,order,cause,account,vat_rate,debit,credit,currency";

function formatCsv(entries: readonly Entry[]): string[] {
  const rows = entries.flatMap((entry) =>
    getPostings(entry).map((posting) => {
      const { id, number, booked_on, occurred_at, settled_at = "", kind, order_number = "", currency } = entry;
      const about = [id, number, booked_on, occurred_at, settled_at, kind, order_number, formatCause(entry)];
      // Accounting spreadsheets expect debit and credit as two columns without signs.
      const sides = toSides(isDebit(posting), formatUnsigned(posting));
      return [...about, posting.type, String(posting.vat_rate ?? ""), ...sides, currency].map(quoteCsv).join(",");
    }),
  );
  return [HEADINGS, ...rows];
}

/** Quotes a value as RFC 4180 requires. */
const quoteCsv = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Formats entries as a journal of hledger, which expects signed amounts. */
function formatHledger(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => [
    // A transaction ends with an empty line. hledger rejects transactions that don't balance.
    `${entry.booked_on} (${entry.number}) ${entry.kind}${entry.order_number ? ` order ${entry.order_number}` : ""}`,
    ...getPostings(entry).map(
      (posting) => `    ${posting.type}  ${formatAmount({ ...posting.amount, value: toSigned(posting) })}`,
    ),
    "",
  ]);
}

const WRITERS = {
  table: formatEntryTable,
  csv: formatCsv,
  json: (items: readonly Entry[]): string[] => [JSON.stringify({ items })],
  hledger: formatHledger,
};

function formatBalance({ accounts, checks, zone, entries }: Schemas["TrialBalance"], { terminal }: Call): string[] {
  const { paint } = terminal;
  const titles = ["account", "", "opening", "debit", "credit", "closing"].map((title) => paint("dim", title));
  const rows = accounts.map(({ account, currency, exponent, opening, debit, credit, closing }) => [
    account,
    currency,
    ...[opening, debit, credit, closing].map((value) => toDigits(value, exponent)),
  ]);
  const lines = checks.flatMap(({ holds, sentence, checked, broken, more }) => [
    `${holds ? "holds" : paint("red", "broken")}  ${sentence} (${checked} checked)`,
    ...broken.map(({ number, message }) => `  ${number}: ${message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]);
  return [...formatColumns([titles, ...rows]), `${entries} entries, days of ${zone}`, ...lines];
}

export function formatOrderBooks({ number, rows, why, ...order }: Schemas["OrderBooks"], { paint }: Look): string[] {
  const { charged, paid, refunded, recognised, prepayment, vat } = order;
  // The sums are listed in the order in which an order passes through the accounts.
  const sums = { charged, paid, refunded, recognised, "left in prepayment": prepayment, "VAT of it": vat };
  const blocks = rows.flatMap((row) => {
    const amounts = row.postings.map(({ account, direction, amount }) => {
      return [account, ...toSides(direction === "DEBIT", formatAmount(amount))];
    });
    return toBlock([row.number, row.occurred_at, row.kind], amounts, [paint("dim", formatCause(row))]);
  });
  const sumRows = Object.entries(sums).map(([name, amount]) => [paint("dim", name), formatAmount(amount)]);
  return [`Order ${number}`, ...formatColumns(sumRows), ...formatColumns(blocks), ...(why ? [why] : [])];
}

export const books: Readonly<Record<string, Answer>> = {
  "books entries": {
    options: [
      option.text(
        "format",
        "how",
        "table, csv (a line per posting), json (as --json) or hledger (for plain-text accounting).",
        { choices: Object.keys(WRITERS), default: "table" },
      ),
    ],
    prepare: fetchEntries,
    show: formatEntries,
  },
  "books compare": bookComparison,
  "books balance": { show: formatBalance },
};

// The ledger: the accounts of the world with their checks, or the entries of one order. The sandbox computes all
// amounts.
import { type Amount, formatAmount, toDigits } from "../../platform/amount-text.ts";
import type { Schemas } from "../api.ts";
import { Badge, Empty, Instant, Loading, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useRead } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";

const formatMoney = (amount: Amount): string => formatAmount(amount, true);
const formatDigits = (value: number, exponent: number): string => toDigits(value, exponent, true);

type Account = Schemas["BookAccount"];

/** The books of the world, or of one order. */
export function Ledger() {
  // The address holds the order, so that its books can be shared as a link.
  const of = getQuery("of").trim();
  return (
    <>
      <input
        type="search"
        aria-label="Of one order"
        placeholder="Of one order: its id or its number"
        defaultValue={of}
        onChange={({ currentTarget }) => setQuery({ of: currentTarget.value.trim() })}
      />
      {of ? <OrderBooks key={of} id={of} /> : <WorldBooks />}
    </>
  );
}

/** The accounts of the world. The sandbox computes all sums and checks. */
function WorldBooks() {
  const { data, problem } = useRead("/_sandbox/books/trial-balance");
  if (!data) return <Loading problem={problem} />;
  return (
    <>
      <Problem text={problem} />
      <p class="quiet">{data.entries} entries</p>
      <ul class="plain-list">
        {data.checks.map((check) => (
          <BookCheck key={check.sentence} {...check} />
        ))}
      </ul>
      {data.accounts.length === 0 && (
        <Empty title="No sales yet.">
          <p>
            Book by a request, or as the host by <a href={toHref("acts", ["bookAsHost"])}>bookAsHost</a>.
          </p>
        </Empty>
      )}
      <div class="accounts">
        {data.accounts.map((account) => (
          <TAccount key={account.account + account.currency} {...account} />
        ))}
      </div>
    </>
  );
}

/** A check such as debits = credits. The sandbox lists the first entries that break it, and counts the rest. */
function BookCheck({ sentence, holds, checked, broken, more }: Schemas["BookCheck"]) {
  return (
    <li>
      <Badge tone={holds ? "ok" : "bad"}>{holds ? "holds" : "broken"}</Badge> {sentence}{" "}
      <span class="quiet">{checked} checked</span>
      {broken.map(({ id, number, message }) => (
        <p key={id} class="small">
          <a href={toHref("story", [id])}>{number}</a> {message}
        </p>
      ))}
      {more > 0 && <p class="small quiet">and {more} more</p>}
    </li>
  );
}

/** A T-account: debits on the left, credits on the right. */
function TAccount({ account, currency, exponent, closing, kinds }: Account) {
  // Entries are grouped by kind, because an account of a year has thousands of entries.
  const renderSide = (wanted: string) =>
    kinds
      .filter(({ direction }) => direction === wanted)
      .map(({ kind, count, value }) => (
        <p key={kind} class="bar">
          <span class="small grow">
            {kind} <span class="quiet">× {count}</span>
          </span>
          <span class="amount">{formatDigits(value, exponent)}</span>
        </p>
      ));
  return (
    <table class="t-account">
      <caption>
        {account} <span class="quiet">{currency}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">Debit</th>
          <th scope="col">Credit</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>{renderSide("DEBIT")}</td>
          <td>{renderSide("CREDIT")}</td>
        </tr>
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={2}>
            {/* Amounts in a T-account have no sign, because the side shows it. */}
            {closing === 0
              ? "Balanced"
              : `Balance ${formatDigits(Math.abs(closing), exponent)} ${closing > 0 ? "debit" : "credit"}`}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The entries of one order, given by its id or number. */
function OrderBooks({ id }: { id: string }) {
  const { data, problem } = useRead("/_sandbox/books/orders/{orderId}", { path: { orderId: id } });
  if (!data) return <Loading problem={problem} />;
  const { charged, paid, refunded, recognised, prepayment } = data;
  // The order follows the money: charged first, prepayment last.
  const amounts = { charged, paid, refunded, recognised, "left in prepayment": prepayment };
  return (
    <section class="stack" aria-label={`Order ${data.number}`}>
      <h2>
        Order <a href={toHref("records", ["orders", data.order_id])}>{data.number}</a>
      </h2>
      <p>
        {Object.entries(amounts)
          .map(([name, amount]) => `${name} ${formatMoney(amount)}`)
          .join(" · ")}
      </p>
      {data.why && <p>{data.why}</p>}
      {data.rows.length === 0 ? (
        <Empty title="No ledger entries yet." />
      ) : (
        <OrderEntries rows={data.rows} exponent={prepayment.exponent} />
      )}
    </section>
  );
}

/** Each posting is a row. The first row of an entry names the entry; the last one shows the prepayment left. */
function OrderEntries({ rows, exponent }: { rows: Schemas["OrderBooks"]["rows"]; exponent: number }) {
  return (
    <Table
      columns={["Entry", "Account", { number: "Debit" }, { number: "Credit" }, { number: "Left in prepayment" }]}
      label="Entries"
      look="books"
    >
      {rows.flatMap(({ entry_id, number, kind, occurred_at, left, postings }) =>
        postings.map(({ account, direction, amount }, at) => (
          <tr key={`${entry_id}-${at}`}>
            <td>
              {at === 0 && (
                <>
                  <Instant at={occurred_at} /> <a href={toHref("story", [entry_id])}>{`${number} ${kind}`}</a>
                </>
              )}
            </td>
            <td>{account}</td>
            <td class="number">{direction === "DEBIT" && formatMoney(amount)}</td>
            <td class="number">{direction === "CREDIT" && formatMoney(amount)}</td>
            <td class="number">{at === postings.length - 1 && formatDigits(left, exponent)}</td>
          </tr>
        )),
      )}
    </Table>
  );
}

// The books of the world as T-accounts, with what must add up; or those of one order, entry by entry. The sandbox judges and adds.
import { type Schemas, unwrap } from "../api.ts";
import { formatAmount, formatDigits } from "../parts/amount.ts";
import { Badge, BreakableName, Empty, Instant, Loading, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";
import { worldVersion } from "../stores/newest.ts";

type Account = Schemas["BookAccount"];

/** The books of the world, or of one order. */
export function Ledger() {
  // In the address, so that one order's books can be sent to somebody.
  const of = getQuery("of").trim();
  return (
    <>
      <div class="bar">
        <input
          type="search"
          class="grow"
          aria-label="Of one order"
          placeholder="Of one order: its id or its number"
          defaultValue={of}
          onChange={({ currentTarget }) => setQuery({ of: currentTarget.value.trim() })}
        />
      </div>
      {of ? <OrderBooks key={of} id={of} /> : <WorldBooks />}
    </>
  );
}

/** The sums and checks are the sandbox's own; nothing is added up here. */
function WorldBooks() {
  const { data, problem } = useQuery([worldVersion.value], (api) => unwrap(api.GET("/_sandbox/books/trial-balance")));
  if (!data) return <Loading problem={problem} />;
  return (
    <>
      <Problem text={problem} />
      <p class="quiet">{data.entries} entries</p>
      <ul class="identities">
        {data.checks.map((check) => (
          <BookCheck key={check.sentence} {...check} />
        ))}
      </ul>
      {data.accounts.length === 0 && (
        <Empty title="Nothing has been sold in this world.">
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

/** An identity of the books, such as debits = credits; the sandbox lists the entries that break it, and counts the rest. */
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

/** One account in the form that bookkeepers draw: debits at the left, credits at the right. */
function TAccount({ account, currency, exponent, closing, kinds }: Account) {
  // One line a kind of entry, with how many of them: an account of a year has thousands.
  const renderSide = (wanted: string) =>
    kinds
      .filter(({ direction }) => direction === wanted)
      .map(({ kind, count, value }) => (
        <p key={kind}>
          <span class="small">
            <BreakableName text={kind} /> <span class="amount quiet">× {count}</span>
          </span>
          <span class="amount">{formatDigits(value, exponent)}</span>
        </p>
      ));
  return (
    <table class="t-account">
      <caption>
        <BreakableName text={account} /> <span class="quiet">{currency}</span>
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
            {/* Amounts have no sign in a T-account: the side says it. */}
            {closing === 0
              ? "Balanced"
              : `Balance ${formatDigits(Math.abs(closing), exponent)} ${closing > 0 ? "debit" : "credit"}`}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** By the id of the order or by its number. */
function OrderBooks({ id }: { id: string }) {
  const params = { path: { orderId: id } };
  const { data, problem } = useQuery([id, worldVersion.value], (api) =>
    unwrap(api.GET("/_sandbox/books/orders/{orderId}", { params })),
  );
  if (!data) return <Loading problem={problem} />;
  const { charged, paid, refunded, recognised, prepayment } = data;
  // In the order in which money moves through an order.
  const amounts = { charged, paid, refunded, recognised, "left in prepayment": prepayment };
  return (
    <section class="stack" aria-label={`Order ${data.number}`}>
      <h2>
        Order <a href={toHref("records", ["orders", data.order_id])}>{data.number}</a>
      </h2>
      <p>
        {Object.entries(amounts)
          .map(([name, amount]) => `${name} ${formatAmount(amount)}`)
          .join(" · ")}
      </p>
      {data.why && <p>{data.why}</p>}
      {data.rows.length === 0 ? (
        <Empty title="Nothing of it has been booked." />
      ) : (
        <OrderEntries rows={data.rows} exponent={prepayment.exponent} />
      )}
    </section>
  );
}

/** A line a posting. What the entry has as a whole stands in its first line, and what is left after it in its last. */
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
            <td>
              <BreakableName text={account} />
            </td>
            <td class="number">{direction === "DEBIT" && formatAmount(amount)}</td>
            <td class="number">{direction === "CREDIT" && formatAmount(amount)}</td>
            <td class="number">{at === postings.length - 1 && formatDigits(left, exponent)}</td>
          </tr>
        )),
      )}
    </Table>
  );
}

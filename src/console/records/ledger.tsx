// The accounting journal of the world, or of one booking, order or gift card, as T-accounts with what must add up.
import { useAsked } from "../asked.ts";
import { Badge, Empty, Problem } from "../parts/bits.tsx";
import { query, setQuery, worldId } from "../router.ts";
import { newest } from "../stores/newest.ts";
import { allOf } from "./all.ts";
import { type Account, accountsOf, type EntryRecord, identitiesOf, type Line, moneyText } from "./t-accounts.ts";

export function Ledger() {
  const { data, problem } = useAsked(
    () => Promise.all([allOf("entries"), allOf("orders")]),
    [worldId.value, newest.value],
  );
  if (!data) return <Problem text={problem} />;
  const [journal, orders] = data;
  const lines = new Map(orders.items.map((order) => [order.id, (order.line_items as unknown[]).length]));
  const of = query("of").trim();
  const all = journal.items as unknown as EntryRecord[];
  const entries = of ? all.filter((entry) => Object.values(entry).includes(of)) : all;
  return (
    <>
      <div class="bar">
        <input
          type="search"
          class="grow"
          aria-label="Of one booking, order or gift card"
          placeholder="Of one booking, order, gift card or entry: its id"
          value={of}
          onInput={({ currentTarget }) => setQuery({ of: currentTarget.value })}
        />
        <span class="quiet">{entries.length} entries</span>
      </div>
      {!journal.isAll && <p class="problem">Only the newest {all.length} entries are added up here.</p>}
      <ul class="identities">
        {identitiesOf(entries, (order) => lines.get(order) ?? 0).map(({ sentence, holds, broken, checked }) => (
          <li key={sentence}>
            <Badge tone={holds ? "ok" : "bad"}>{holds ? "holds" : "broken"}</Badge> {sentence}{" "}
            <span class="quiet">{holds ? `${checked} checked` : broken.join(", ")}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && (
        <Empty title={of ? `No entry names “${of}”.` : "Nothing has been sold in this world."} />
      )}
      <div class="accounts">
        {accountsOf(entries).map((account) => (
          <T key={account.name + account.currency} {...account} />
        ))}
      </div>
    </>
  );
}

function T({ name, currency, exponent, debit, credit, balance }: Account) {
  const side = balance > 0 ? "debit" : "credit";
  return (
    <table class="t-account">
      <caption>
        {name} <span class="quiet">{currency}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">Debit</th>
          <th scope="col">Credit</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>{sideOf(debit, exponent)}</td>
          <td>{sideOf(credit, exponent)}</td>
        </tr>
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={2}>
            {balance === 0 ? "Balanced" : `Balance ${moneyText(Math.abs(balance), exponent)} ${side}`}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

const sideOf = (lines: readonly Line[], exponent: number) =>
  lines.map(({ kind, count, value }) => (
    <p key={kind}>
      <span class="small">
        {kind} <span class="quiet">× {count}</span>
      </span>
      <span class="amount">{moneyText(value, exponent)}</span>
    </p>
  ));

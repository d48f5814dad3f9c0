// What came of it: facts, records, ledger entries, webhooks with the answers of their receivers, and the next calls of the same client.

import type { Why } from "../entries.ts";
import { amountText } from "../parts/amount.ts";
import { Badge, Instant, Status } from "../parts/bits.tsx";
import { ChangeList, shownValue } from "../parts/changes.tsx";
import { href } from "../router.ts";

export function Came({ why }: { why: Why }) {
  const { facts, changes, entries, messages, history = [] } = why;
  const next = why.then;
  return (
    <>
      {facts.length > 0 && (
        <section class="panel">
          <h2>Facts</h2>
          <ul class="plain-list">
            {facts.map(({ fact, id }, index) => (
              <li key={index}>
                {fact} <IdLink id={id} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {changes.length > 0 && (
        <section class="panel">
          <h2>Records</h2>
          <ChangeList changes={changes} />
        </section>
      )}
      {entries.length > 0 && <Entries entries={entries} />}
      {messages.length > 0 && (
        <section class="panel">
          <h2>Webhooks</h2>
          {messages.map((message) => (
            <Message key={message.id} message={message} />
          ))}
        </section>
      )}
      {history.length > 0 && (
        <section class="panel">
          <h2>How it came to be, newest first</h2>
          {history.map(({ at, cause, change, members }, index) => (
            <div key={history.length - index} class="version">
              <p>
                <Badge>{change}</Badge> <Instant at={at} seconds /> by{" "}
                {cause.kind === "world" || cause.kind === "fixture" ? (
                  cause.title
                ) : (
                  <IdLink id={cause.id} text={cause.title} />
                )}
              </p>
              {change === "updated" && (
                <ul class="plain-list">
                  {members.map(({ path, before, after }) => (
                    <li key={path}>
                      <code>{path}</code> {shownValue(before)} → {shownValue(after)}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          ))}
        </section>
      )}
      {next.length > 0 && (
        <section class="panel">
          <h2>Then the same client</h2>
          <ul class="plain-list">
            {next.map(({ id, title, at, status }) => (
              <li key={id}>
                <Instant at={at} seconds /> <a href={href("story", [id])}>{title}</a>{" "}
                {status && <Status status={status} />}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const IdLink = ({ id, text = id }: { id: string; text?: string | undefined }) => (
  <a class="id" href={href("story", [id])}>
    {text}
  </a>
);

export function Entries({ entries }: Pick<Why, "entries">) {
  return (
    <section class="panel">
      <h2>Accounting entries</h2>
      <table>
        <thead>
          <tr>
            <th>Entry</th>
            <th>Account</th>
            <th class="number">Debit</th>
            <th class="number">Credit</th>
          </tr>
        </thead>
        <tbody>
          {entries.flatMap(({ id, number, kind, currency, exponent, postings }) =>
            postings.map(({ type, direction, amount: value }, index) => (
              <tr key={`${id}-${index}`}>
                <td>{index === 0 && <IdLink id={id} text={`${number} ${kind}`} />}</td>
                <td>{type}</td>
                <td class="number">{/^d/i.test(direction) && amountText({ currency, value, exponent })}</td>
                <td class="number">{/^c/i.test(direction) && amountText({ currency, value, exponent })}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Message({ message: { id, kind, deliveries } }: { message: Why["messages"][number] }) {
  return (
    <div class="message">
      <p>
        {kind}{" "}
        <a class="id" href={href("webhooks", [id])}>
          {id}
        </a>
        {deliveries.length === 0 && <span class="quiet"> · nobody has subscribed to it</span>}
      </p>
      {deliveries.map((delivery) => (
        <p key={delivery.id} class="small">
          → <span class="id">{delivery.url}</span> <Badge>{delivery.state}</Badge>{" "}
          {delivery.attempts.map(({ at, status, error }, index) => (
            <span key={index} title={`${at}${error ? `: ${error}` : ""}`}>
              <Status status={status} /> {error && <span class="quiet">{error} </span>}
            </span>
          ))}
        </p>
      ))}
    </div>
  );
}

// A webhook message: its body, its deliveries with attempts and signatures, and the buttons and the form that resend it.
import { useState } from "preact/hooks";
import { formatInFlight, formatNextAttempt } from "../../client/delivery-text.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { ActionButton } from "../parts/actions.tsx";
import { LinkedJson, RecordTitleLink, ShortId, StoryLink } from "../parts/links.tsx";
import { Badge, Button, CopyButton, Instant, Problem, Side, State } from "../parts/primitives.tsx";
import { useRead } from "../query.ts";
import { getQuery, getQueryList, setQuery, toggleQueryItem, toHref } from "../router.ts";

type Delivery = Schemas["Delivery"];

export const resendMessage = (messageId: string, body: Schemas["ResendInput"] = {}) =>
  unwrap(control.peek().POST("/_sandbox/messages/{messageId}/resend", { params: { path: { messageId } }, body }));

interface MessageDetailProps {
  message: Schemas["Message"];
  /** The subscriptions, or undefined until they are loaded. */
  subscriptions: Schemas["RecordPage"] | undefined;
}

export function MessageDetail({ message, subscriptions }: MessageDetailProps) {
  const { id, kind, about, created_at, caused_by, body, deliveries } = message;
  const examined = getQuery("delivery");
  // The references turn record ids in the body into links.
  const named = useRead("/_sandbox/records/{collection}/{id}", { path: { collection: "messages", id } });
  const canReceive = !subscriptions || hasReceiver(message, subscriptions);
  const [result, setResult] = useState("");
  const resend = () => resendMessage(id).then(() => setResult(RESENT));
  return (
    <section class="stack grow scroll" aria-label={id}>
      <div class="bar">
        <h2 class="grow">{kind}</h2>
        <ActionButton class="primary" isDisabled={!canReceive} run={resend}>
          Resend
        </ActionButton>
        <span class="quiet small" role="status">
          {canReceive ? result : "No enabled subscription takes this message."}
        </span>
        <a href={toHref("webhooks", [], { q: getQuery("q") })}>Close</a>
      </div>
      <p>
        {about && (
          <>
            about <RecordTitleLink {...about} /> ·{" "}
          </>
        )}
        <ShortId id={id} /> · <Instant at={created_at} seconds /> · caused by <StoryLink id={caused_by} />
      </p>
      {deliveries.map((delivery) => (
        <DeliveryPanel key={delivery.id} {...delivery} />
      ))}
      {examined && <Signature message={id} delivery={examined} attempt={getQuery("attempt")} />}
      <details class="panel">
        <summary>Resend altered or late</summary>
        <RequestForm
          schema="ResendInput"
          verb="Resend like this"
          send={async (input) => {
            await resendMessage(id, input);
            return <p class="note ok">{RESENT}</p>;
          }}
        />
      </details>
      <h3>Body</h3>
      <LinkedJson value={body} label="Body" references={named.data?.references} />
    </section>
  );
}

const RESENT = "Resent with the same webhook-id.";

/** Returns true if a subscription can receive the message. An incomplete list leaves the decision to the sandbox. */
const hasReceiver = ({ kind, deliveries }: Schemas["Message"], { items, next }: Schemas["RecordPage"]): boolean =>
  next !== undefined ||
  items.some(
    ({ id, state, event_types }) =>
      state === "ENABLED" &&
      (deliveries.length > 0
        ? deliveries.some(({ subscription_id }) => subscription_id === id)
        : (event_types as readonly string[]).includes(kind)),
  );

function DeliveryPanel(delivery: Delivery) {
  const { id, subscription_id, url, state, next_attempt_at, awaits_clock, in_flight_ms, attempts } = delivery;
  return (
    <section class="panel" aria-label={`Delivery to ${url}`}>
      <p class="bar">
        <State state={state} />
        <span>{url}</span>
        <a href={toHref("records", ["subscriptions", subscription_id])}>
          <ShortId id={subscription_id} />
        </a>
        {in_flight_ms !== undefined && <span class="quiet">{formatInFlight(attempts.length, in_flight_ms)}</span>}
        {next_attempt_at && state === "PENDING" && in_flight_ms === undefined && (
          <span class="quiet">
            {formatNextAttempt("", awaits_clock)}
            <Instant at={next_attempt_at} seconds />
          </span>
        )}
        <span class="grow" />
        {attempts.length === 0 && <SignatureButton delivery={id} attempt={0} />}
      </p>
      {attempts.map((attempt, index) => (
        <AttemptDetail key={index} attempt={attempt} number={index + 1} delivery={id} isLast={!attempts[index + 1]} />
      ))}
    </section>
  );
}

interface AttemptProps {
  attempt: Delivery["attempts"][number];
  number: number;
  delivery: string;
  /** The last attempt is unfolded if it failed. */
  isLast: boolean;
}

/** An attempt. It unfolds to the request that was sent and the response. */
function AttemptDetail({ attempt, number, delivery, isLast }: AttemptProps) {
  const { at, outcome, request, answer, duration_ms, error, tamper, fault } = attempt;
  const failed = outcome !== "ACCEPTED";
  const key = `${delivery}.${number}`;
  const of = ` of attempt ${number} of ${delivery}`;
  // The address lists attempts that differ from their initial state.
  const isOpen = (isLast && failed) !== getQueryList("open").includes(key);
  return (
    <div class="attempt">
      <details
        class="grow"
        open={isOpen}
        onToggle={({ currentTarget }) => currentTarget.open !== isOpen && toggleQueryItem("open", key)}
      >
        <summary>
          {number} <Instant at={at} seconds />{" "}
          <Badge tone={failed ? "bad" : "ok"}>
            {outcome} {answer?.status}
          </Badge>{" "}
          {tamper && <Badge tone="warn">{tamper} altered</Badge>} {fault && <Badge tone="warn">{fault.name}</Badge>}
          {error} <span class="quiet">{Math.round(duration_ms)} ms</span>
        </summary>
        <div class="two">
          <Side title="Sent" of={of} headers={request.headers} value={request.body} />
          {answer ? (
            <Side title={`Answer ${answer.status}`} of={of} headers={answer.headers} value={answer.body || null} />
          ) : (
            <p class="quiet">{error ?? "There was no answer."}</p>
          )}
        </div>
      </details>
      <SignatureButton delivery={delivery} attempt={number} />
    </div>
  );
}

/** A button that shows the signature. Attempt 0 shows how the delivery would be signed now. */
function SignatureButton({ delivery, attempt }: { delivery: string; attempt: number }) {
  const named = attempt ? String(attempt) : "";
  const isOpen = getQuery("delivery") === delivery && getQuery("attempt") === named;
  return (
    <Button
      aria-pressed={isOpen}
      onClick={() => setQuery(isOpen ? { delivery: "", attempt: "" } : { delivery, attempt: named })}
    >
      Signature
    </Button>
  );
}

interface SignatureProps {
  message: string;
  delivery: string;
  attempt: string;
}

/** The signature of an attempt. The sandbox explains and compares it, so the browser never receives the secret. */
function Signature({ message, delivery, attempt }: SignatureProps) {
  // The sandbox shows the signature that it would send now if no attempt is given.
  const params = {
    path: { messageId: message },
    query: { delivery, ...(attempt ? { attempt: Number(attempt) } : {}) },
  };
  const { data, problem } = useRead("/_sandbox/messages/{messageId}/signature", params);
  if (!data) return <Problem text={problem} />;
  const { steps, notes, signed_text, key_fingerprint, header } = data;
  return (
    <section class="panel" aria-label="Signature">
      <h3>How {attempt ? `attempt ${attempt}` : "it"} is signed</h3>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <div class="bar">
        <h4 class="grow">The text that is signed, byte for byte</h4>
        <CopyButton text={() => signed_text} />
      </div>
      {/* The text is never reformatted, because a receiver must sign exactly these bytes. */}
      <pre class="code wrap">{signed_text}</pre>
      <p>
        Key <code>{key_fingerprint}</code> (the start of its SHA-256) gives the header <code>{header}</code>
      </p>
      <h4>Compare what your code computed</h4>
      <RequestForm
        schema="ComputedSignature"
        verb="Compare"
        send={async (input) => {
          // The form is built from that schema, so its input matches the type.
          const body = input as Schemas["ComputedSignature"];
          const path = "/_sandbox/messages/{messageId}/signature/check";
          return <SignatureResult {...(await unwrap(control.peek().POST(path, { params, body })))} />;
        }}
      />
    </section>
  );
}

/** The known mistakes that lead to the computed value, each with its fix. */
function SignatureResult({ right, mistakes, advice }: Schemas["SignatureChecked"]) {
  const difference = `The signature differs${mistakes.length > 0 ? ":" : ", and no common mistake explains it."}`;
  return (
    <div class={`note ${right ? "ok" : "bad"}`}>
      <p>{right ? "The signature matches." : difference}</p>
      <ul>
        {mistakes.map(({ mistake, what, fix }) => (
          <li key={mistake}>
            {what} {fix}
          </li>
        ))}
      </ul>
      <p>{advice}</p>
    </div>
  );
}

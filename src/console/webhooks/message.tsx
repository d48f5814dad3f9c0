// A webhook message: its body, its deliveries with attempts and signatures, and the resend form.

import { formatInFlight, formatNextAttempt } from "../../client/delivery-text.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { LinkedJson, RecordLink, RecordTitleLink, ShortId, StoryLink } from "../parts/links.tsx";
import { Badge, Button, Instant } from "../parts/primitives.tsx";
import { Side } from "../parts/side.tsx";
import { useQuery } from "../query.ts";
import { getStateTone } from "../records/record-format.ts";
import { getQuery, getQueryList, setQuery, toggleQueryItem, toHref } from "../router.ts";
import { type Message, resendMessage } from "./messages.ts";
import { Resend } from "./resend.tsx";
import { Signature } from "./signature.tsx";

type Delivery = Schemas["Delivery"];

interface MessageDetailProps {
  message: Message;
  /** The subscriptions, or undefined until they are loaded. */
  subscriptions: Schemas["RecordPage"] | undefined;
  onSent: () => void;
}

export function MessageDetail({ message, subscriptions, onSent }: MessageDetailProps) {
  const { id, kind, about, created_at, caused_by, body, deliveries } = message;
  const examined = getQuery("delivery");
  const params = { path: { collection: "messages" as const, id } };
  // The references turn record ids in the body into links.
  const named = useQuery([id], (api) => unwrap(api.GET("/_sandbox/records/{collection}/{id}", { params })));
  return (
    <section class="stack grow scroll" aria-label={id}>
      <div class="bar">
        <h2 class="grow">{kind}</h2>
        <Resend message={message} subscriptions={subscriptions} onSent={onSent} />
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
        <DeliveryPanel key={delivery.id} delivery={delivery} />
      ))}
      {examined && <Signature message={id} delivery={examined} attempt={getQuery("attempt")} />}
      <details class="panel">
        <summary>Resend altered or late</summary>
        <RequestForm
          schema="ResendInput"
          verb="Resend like this"
          send={async (input) => {
            await resendMessage(control.peek(), id, input as Schemas["ResendInput"]);
            onSent();
            return <p class="said">Resent with the same webhook-id.</p>;
          }}
        />
      </details>
      <h3>Body</h3>
      <LinkedJson value={body} label="Body" references={named.data?.references ?? []} />
    </section>
  );
}

function DeliveryPanel({
  delivery: { id, subscription_id, url, state, next_attempt_at, awaits_clock, in_flight_ms, attempts },
}: {
  delivery: Delivery;
}) {
  return (
    <section class="panel" aria-label={`Delivery to ${url}`}>
      <p class="bar">
        <Badge tone={getStateTone(state)}>{state}</Badge>
        <span>{url}</span>
        <RecordLink collection="subscriptions" id={subscription_id} />
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
        open={isOpen}
        onToggle={({ currentTarget }) => currentTarget.open !== isOpen && toggleQueryItem("open", key)}
      >
        <summary>
          <span class="number">{number}</span> <Instant at={at} seconds />{" "}
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
  const named = attempt ? String(attempt) : undefined;
  const isOpen = getQuery("delivery") === delivery && getQuery("attempt") === (named ?? "");
  return (
    <Button
      aria-pressed={isOpen}
      onClick={() => setQuery({ delivery: isOpen ? undefined : delivery, attempt: isOpen ? undefined : named })}
    >
      Signature
    </Button>
  );
}

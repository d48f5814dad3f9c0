// The buttons that resend one message, or every message that a receiver has not accepted.
import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { control, type Schemas } from "../api.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { listFailed } from "./health.ts";
import { type Message, readMessages, resendMessage } from "./messages.ts";

interface ResendProps {
  message: Message;
  /** The subscriptions, or undefined until they are loaded. */
  subscriptions: Schemas["RecordPage"] | undefined;
  onSent: () => void;
}

/** Sends the message to every enabled subscription that it is for. */
export function Resend({ message, subscriptions, onSent }: ResendProps) {
  const [result, setResult] = useState("");
  const canReceive = !subscriptions || hasReceiver(message, subscriptions);
  const send = async () => {
    setResult("");
    await resendMessage(control.peek(), message.id);
    setResult("Resent with the same webhook-id.");
    onSent();
  };
  return (
    <>
      <ActionButton class="primary" isDisabled={!canReceive} run={send}>
        Resend
      </ActionButton>
      <Note text={canReceive ? result : "No enabled subscription takes this message."} />
    </>
  );
}

/** Returns true if a subscription can receive the message. An incomplete list leaves the decision to the sandbox. */
const hasReceiver = ({ kind, deliveries }: Message, { items, next }: Schemas["RecordPage"]): boolean =>
  next !== undefined ||
  items.some(
    ({ id, state, event_types }) =>
      state === "ENABLED" &&
      (deliveries.length > 0
        ? deliveries.some(({ subscription_id }) => subscription_id === id)
        : (event_types as readonly string[]).includes(kind)),
  );

const Note = ({ text }: { text: string }) =>
  text && (
    <span class="outcome quiet small" role="status">
      {text}
    </span>
  );

interface RetryFailedProps {
  subscription: string;
  receiver: string;
  state: string;
  /** The number of its failed deliveries among the messages of the list. */
  failed: number;
  onSent: () => void;
}

/** Resends, to this subscription alone, each of the newest messages whose delivery has ended without success. */
export function RetryFailed({ subscription, receiver, state, failed, onSent }: RetryFailedProps) {
  const [progress, setProgress] = useState("");
  const retry = async () => {
    const api = control.peek();
    // The list on the screen may be older than the last retry.
    const ids = listFailed(subscription, (await readMessages(api)).items);
    try {
      for (const [index, id] of ids.entries()) {
        setProgress(`Started ${index} of ${ids.length}.`);
        await resendMessage(api, id, { subscription_id: subscription });
      }
      setProgress(`Started ${count(ids.length, "delivery", "deliveries")}.`);
    } finally {
      onSent();
    }
  };
  const obstacle = failed === 0 ? "Nothing to retry." : state === "ENABLED" ? "" : "Enable the subscription first.";
  return (
    <>
      <ActionButton
        class="small-button"
        label={`Retry all failed to ${receiver}`}
        isDisabled={obstacle !== ""}
        run={retry}
      >
        Retry all failed
      </ActionButton>
      <Note text={`${progress} ${obstacle}`.trim()} />
    </>
  );
}

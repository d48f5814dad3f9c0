// A subscription of the person who runs the sandbox, by an option or with a new world: to these kinds, or to all.
import { createPinned } from "../domain/company/subscription.ts";
import { EVENT_KINDS, type EventKind } from "../domain/kernel/kinds.ts";
import type { RequestsPort, WebhooksPort } from "./application.ts";

/** Returns the secret of the subscription. */
export const makeSubscribe =
  (change: RequestsPort["change"], newSecret: () => string): WebhooksPort["subscribe"] =>
  (world, { url, kinds, description }) => {
    const event_types: EventKind[] = kinds.length > 0 ? [...kinds] : [...EVENT_KINDS];
    const input = { url, event_types, state: "ENABLED", description } as const;
    return change(world, { kind: "world", id: "setup" }, (tx) => createPinned(tx, input, newSecret())).result.secret;
  };

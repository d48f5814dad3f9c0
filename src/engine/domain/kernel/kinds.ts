// Lists the kinds of webhook events, which are the messages of spec/webhooks.yaml. Heading "Event kinds".
import type { webhooks } from "../../../contract/generated/api.ts";
import eventKinds from "../../../contract/generated/event-kinds.json" with { type: "json" };

export type EventKind = keyof webhooks;

export const EVENT_KINDS = eventKinds;

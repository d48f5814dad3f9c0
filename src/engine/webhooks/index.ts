// The entry point of the webhooks: the client that sends deliveries, and the limits of their targets.
export { type HttpClient, makeClient, parseReceiverTimeout } from "./http-delivery.ts";
export type { DeliveryLimits } from "./targets.ts";

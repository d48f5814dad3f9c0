// The requests of the webhooks screen: list messages, and resend one.
import { type Control, type Schemas, unwrap } from "../../client/control.ts";

export type Message = Schemas["Message"];

/** The maximum that the sandbox lists in one response. */
const MAX_MESSAGES = 1000;

/** Reads the newest messages, oldest first. */
export const readMessages = (api: Control) =>
  unwrap(api.GET("/_sandbox/messages", { params: { query: { limit: MAX_MESSAGES } } }));

export const resendMessage = (api: Control, messageId: string, body: Schemas["ResendInput"] = {}) =>
  unwrap(api.POST("/_sandbox/messages/{messageId}/resend", { params: { path: { messageId } }, body }));

// The calls that the webhooks screen makes: the newest messages, and sending one of them again.
import { type Control, dataOf, type Schemas } from "../../client/control.ts";

export type Message = Schemas["Message"];

/** The most that the sandbox lists at a time. */
const MAX_MESSAGES = 1000;

/** Reads the newest messages, oldest first. */
export const readMessages = (api: Control) =>
  dataOf(api.GET("/_sandbox/messages", { params: { query: { limit: MAX_MESSAGES } } }));

export const resendMessage = (api: Control, messageId: string, body: Schemas["ResendInput"] = {}) =>
  dataOf(api.POST("/_sandbox/messages/{messageId}/resend", { params: { path: { messageId } }, body }));

// Asks the control API as the library does: an error is worded in the library's own methods and options.
import { type HttpOutcome, dataOf as plainDataOf } from "../client/control.ts";
import { rethrow } from "../client/wording.ts";

export const dataOf = <T>(call: Promise<HttpOutcome<T>>): Promise<T> => plainDataOf(call).catch(rethrow);

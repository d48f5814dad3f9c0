// Asks the control API as the library does: an error is worded in the library's own methods and options.
import { type Outcome, dataOf as plainDataOf } from "../client/control.ts";
import { rethrow } from "../client/wording.ts";

export const dataOf = <T>(call: Promise<Outcome<T>>): Promise<T> => plainDataOf(call).catch(rethrow);

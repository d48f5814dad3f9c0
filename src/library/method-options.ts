// Checks the options of world methods. In TypeScript a misspelt option does not compile; in JavaScript it is rejected here.
import { rejectOption, SettingError, showValue } from "../engine/settings.ts";
import { optional } from "../platform/optional.ts";
import type {
  Awaiting,
  BookSpan,
  Kind,
  LogFilter,
  PopulateOptions,
  RecordOptions,
  RequestFilter,
  ResendFilter,
  ResendOptions,
  World,
} from "./types.ts";

interface MethodOptions {
  "webhooks.waitFor": Awaiting<Kind>;
  "webhooks.resend": ResendOptions;
  "the filter of webhooks.resend": ResendFilter;
  requests: RequestFilter;
  log: LogFilter;
  replay: NonNullable<Parameters<World["replay"]>[1]>;
  record: RecordOptions;
  "books.entries": NonNullable<Parameters<World["books"]["entries"]>[0]>;
  "books.trialBalance": BookSpan;
  "books.reconcile": BookSpan;
  fork: NonNullable<Parameters<World["fork"]>[0]>;
  populate: PopulateOptions;
}

const span = { from: true, to: true, zone: true } as const;

/** The options of each method. The compiler checks that they are exactly those of the type. */
const NAMES: { readonly [Method in keyof MethodOptions]: Readonly<Record<keyof MethodOptions[Method], true>> } = {
  "webhooks.waitFor": { payload: true, times: true, timeout: true },
  "webhooks.resend": { copies: true, tamper: true, to: true },
  "the filter of webhooks.resend": { kind: true, since: true, failed: true },
  requests: { operation: true, status: true, limit: true },
  log: {
    ...{ kinds: true, since: true, before: true, limit: true, view: true, operation: true, status: true },
    ...{ failed: true, touches: true, caused_by: true, test: true, q: true },
  },
  replay: { set: true },
  record: { since: true, until: true },
  "books.entries": { ...span, order_id: true },
  "books.trialBalance": span,
  "books.reconcile": span,
  fork: { at: true },
  populate: { seed: true, idempotencyKey: true, signal: true },
};

/** Returns the options. Throws a SettingError for the first unknown option. */
export function checkOptions<Method extends keyof MethodOptions>(
  method: Method,
  given: MethodOptions[Method] = {},
): MethodOptions[Method] {
  if (typeof given !== "object" || given === null)
    throw new SettingError(`The options of ${method} are ${showValue(given)}. Give an object, or nothing.`);
  const known = Object.keys(NAMES[method]);
  const unknown = Object.keys(optional(given)).find((name) => !known.includes(name));
  if (unknown !== undefined) throw rejectOption(unknown, known, method);
  return given;
}

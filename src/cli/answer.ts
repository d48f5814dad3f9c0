// What is done by hand with a command of the table, before and after its call.
import type { Client } from "./client.ts";
import type { Call, Command, Option } from "./command.ts";

/** What is sent. Each part is left out where the call has none of it. */
export interface CallInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: object;
}

/** For an answer whose words depend on what was asked, or that needs a second call. */
export interface SentCall {
  input: CallInput;
  client: Client;
}

/**
 * What is done by hand with a command of the table. Each hook is optional: without any, the row of the table alone
 * makes the command.
 */
export interface Answer<T = never> {
  /** Refuses what can't be meant. Before the network is used, so that wrong usage costs nothing. */
  check?(call: Call): void;
  /** Completes what is sent; where it gives an answer, nothing is sent. */
  prepare?(input: CallInput, call: Call, client: Client): unknown;
  /** Waits until the answer is as it is to be shown. */
  settle?(answer: T, client: Client, call: Call): unknown;
  /** The lines of the result, for stdout. Without it, the row's sentence or a table of members is printed. */
  show?(answer: T, call: Call, sent: SentCall): readonly string[] | Promise<readonly string[]>;
  /** `show` prints what --report and --json ask for. */
  reports?: true;
  /** What is said below it. On stderr, so that a pipe gets the result alone. */
  say?(answer: T): string;
  /** Of how it is shown. */
  options?: readonly Option[];
  /** The exit code; without it 0, since a call that failed has thrown. */
  code?(answer: T): number;
  /** For a call whose method does not say whether it changes anything. */
  changes?: Command["changes"];
  /** All of it. For a command whose answer is no document that fits into memory. */
  run?: Command["run"];
}

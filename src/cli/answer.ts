// What is done by hand with a command of the table, before and after its call.
import type { Client } from "./client.ts";
import type { Call, Command, Option } from "./command.ts";

/** What is sent. */
export interface Input {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: object;
}

export interface SentCall {
  input: Input;
  client: Client;
}

/** What is done by hand with a command of the table. */
export interface Answer<T = never> {
  /** Refuses what can't be meant. */
  check?(call: Call): void;
  /** Completes what is sent; where it gives an answer, nothing is sent. */
  prepare?(input: Input, call: Call, client: Client): unknown;
  /** Waits until the answer is as it is to be shown. */
  settle?(answer: T, client: Client, call: Call): unknown;
  show?(answer: T, call: Call, sent: SentCall): readonly string[] | Promise<readonly string[]>;
  /** What is said below it. */
  say?(answer: T): string;
  /** Of how it is shown. */
  options?: readonly Option[];
  code?(answer: T): number;
  /** All of it. */
  run?: Command["run"];
}

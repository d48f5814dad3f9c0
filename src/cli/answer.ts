// The hooks of a command that is generated from the specification: code that runs before and after its request.
import type { Client } from "./client.ts";
import type { Call, Command, Option } from "./command.ts";

/** The request that a command sends. A part is missing if the request has none. */
export interface CallInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: object;
}

/** The request and its client, for a hook that formats the input or sends a second request. */
export interface SentCall {
  input: CallInput;
  client: Client;
}

/** Every hook is optional. A command without hooks is made from its table row alone. */
export interface Answer<T = never> {
  /** Rejects invalid usage before any request is sent. */
  check?(call: Call): void;
  /** Completes the input. If it returns a value, that value replaces the response and no request is sent. */
  prepare?(input: CallInput, call: Call, client: Client): unknown;
  /** Waits for the final state and returns the response to print. */
  settle?(answer: T, client: Client, call: Call): unknown;
  /** Returns the lines for stdout. Without this hook, the row's sentence or a table of fields is printed. */
  show?(answer: T, call: Call, sent: SentCall): readonly string[] | Promise<readonly string[]>;
  /** Set if `show` handles --report and --json itself. */
  reports?: true;
  /** Extra options that control the output. */
  options?: readonly Option[];
  /** Returns the exit code. The default is 0, because a failed request throws. */
  code?(answer: T): number;
  /** Names the changed resource if the HTTP method does not show whether anything changes. */
  changes?: Command["changes"];
  /** Replaces the whole command, for a response that is too large for memory. */
  run?: Command["run"];
}

// The shape of a verb, and of the context in which it plays. A new verb: a file here, a line in index.ts, its form in
// spec/scenario.schema.json.
import type { Control, Schemas } from "../../../client/control.ts";
import type { Json, JsonObject } from "../../../platform/json.ts";
import type { Received } from "../client.ts";
import { isObject } from "../match.ts";
import type { Known } from "../operations.ts";
import type { Receiver } from "../receiver.ts";
import type { Memory } from "../refs.ts";
import type { Difference, Played, Step } from "../scenario.ts";

export interface StepOutcome {
  sent?: Json;
  outcome: JsonObject;
  /** When the verb compares by itself. */
  differences?: Difference[];
  /** By which the sandbox's journal knows the request. */
  requestId?: string;
}

export interface Verb {
  name: string;
  /** The members of the result, for `expect` and for references. */
  answers: readonly string[];
  /** The subject of the step, in a word. */
  about(step: Step): string;
  play(step: Step, context: PlayContext): Promise<StepOutcome>;
}

/** What one run of a scenario holds. */
export interface PlayContext {
  known: Known;
  /** Where the service is reached; it may call itself otherwise. */
  url: string;
  world: Schemas["NewWorld"];
  /** The control surface, in this world. */
  control: Control;
  /** A token with these scopes, or with all of them. */
  getToken(scopes?: readonly string[]): Promise<string>;
  /** After the clock has moved, new tokens are requested. */
  forgetTokens(): void;
  receiver(): Promise<Receiver>;
  /** How long a step waits for webhooks; otherwise the default. */
  patienceMs?: number;
  /** Whoever plays has stopped it: nothing is waited for any more. */
  signal?: AbortSignal;
  /** Plays a step of a round, with what only the round knows; a lenient one takes any answer that is not expected otherwise. */
  playStep(step: Step, more: Memory, lenient: boolean): Promise<Played>;
}

/** What the control surface answered, with the members of its body beside the status. */
export function flatten({ status, body, error }: Received<unknown>): JsonObject {
  return { status, ...(error ? { error } : {}), body: body as Json, ...(isObject(body) ? body : {}) };
}

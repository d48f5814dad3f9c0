// Defines verbs and the context in which they run. A new verb needs a file here, a line in index.ts, and its form in
// spec/scenario.schema.json.
import type { Control, Schemas } from "../../../client/control.ts";
import { isObject, type Json, type JsonObject } from "../../../platform/json.ts";
import type { Received } from "../client.ts";
import type { Known } from "../operations.ts";
import type { Receiver } from "../receiver.ts";
import type { Memory } from "../refs.ts";
import type { Difference, Played, Step } from "../scenario.ts";

export interface StepOutcome {
  sent?: Json;
  outcome: JsonObject;
  /** The differences, if the verb itself compares the outcome. */
  differences?: Difference[];
  /** The id of the request in the sandbox's log. */
  requestId?: string;
}

export interface Verb {
  name: string;
  /** The fields of the result, for `expect` and for references. */
  answers: readonly string[];
  /** Returns the subject of the step, such as an operation. */
  about(step: Step): string;
  play(step: Step, context: PlayContext): Promise<StepOutcome>;
}

/** The context of one run of a scenario. */
export interface PlayContext {
  known: Known;
  /** The address for requests, which may differ from the one that the service reports. */
  url: string;
  world: Schemas["NewWorld"];
  /** The control API of this world. */
  control: Control;
  /** Returns a token with these scopes, or with all scopes by default. */
  getToken(scopes?: readonly string[]): Promise<string>;
  /** Clears the cached tokens, because the clock has moved. */
  forgetTokens(): void;
  receiver(): Promise<Receiver>;
  /** The maximum wait of a step for webhooks. */
  patienceMs?: number;
  /** Aborts if the run was stopped, so that steps stop waiting. */
  signal?: AbortSignal;
  /** Plays a step of a round with the round's own values. A lenient step accepts any response without an expectation. */
  playStep(step: Step, more: Memory, lenient: boolean): Promise<Played>;
}

/** Converts a response of the control API to an outcome in which the fields of the body are next to the status. */
export function flatten({ status, body, error }: Received<unknown>): JsonObject {
  return { status, ...(error ? { error } : {}), body: body as Json, ...(isObject(body) ? body : {}) };
}

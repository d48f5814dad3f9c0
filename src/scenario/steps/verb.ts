// The shape of a verb, and of the stage on which it plays. A new verb: a file here, a line in index.ts, its form in
// spec/scenario.schema.json.
import type { Came } from "../client.ts";
import { isObject } from "../match.ts";
import type { Known } from "../operations.ts";
import type { Receiver } from "../receiver.ts";
import type { Memory } from "../refs.ts";
import type { Difference, Json, JsonObject, Played, Step } from "../scenario.ts";

export interface Outcome {
  sent?: Json;
  came: JsonObject;
  /** When the verb has compared for itself. */
  differences?: Difference[];
  /** By which the sandbox's journal knows the request. */
  requestId?: string;
}

export interface Verb {
  name: string;
  /** The members of what comes, for `expect` and for references. */
  answers: readonly string[];
  /** What the step is about, in a word. */
  about(step: Step): string;
  play(step: Step, stage: Stage): Promise<Outcome>;
}

/** What one playing of a scenario holds. */
export interface Stage {
  known: Known;
  /** Where the service is reached; it may call itself otherwise. */
  url: string;
  world: World;
  /** The control surface, in this world. */
  control(method: string, path: string, body?: Json): Promise<Came>;
  /** A token with these scopes, or with all of them. */
  token(scopes?: readonly string[]): Promise<string>;
  /** After the clock has moved, tokens are asked for anew. */
  forgetTokens(): void;
  receiver(): Promise<Receiver>;
  /** Plays a step of a round, with what only the round knows; a lenient one takes any answer that is not expected otherwise. */
  playStep(step: Step, more: Memory, lenient: boolean): Promise<Played>;
}

export interface World extends JsonObject {
  id: string;
  url: string;
  token_url: string;
  client_id: string;
  client_secret: string;
}

/** What the control surface answered, with the members of its body beside the status. */
export function flat({ status, body, error }: Came): JsonObject {
  return { status, ...(error ? { error } : {}), body, ...(isObject(body) ? body : {}) };
}

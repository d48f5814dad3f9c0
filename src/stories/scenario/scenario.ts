// Defines the types of a scenario file and of its result.
import type { Json, JsonObject } from "../../platform/json.ts";
import type { Position } from "../../platform/positions.ts";

/** The content of `repeat`: one verb, or several steps. */
export type Rounds = { times: number; parallel?: boolean; steps?: Step[] } & Partial<Omit<Step, "name" | "repeat">>;

/** The fields are those of spec/scenario.schema.json. A step has exactly one verb. */
export interface Step {
  name: string;
  call?: string;
  act?: string;
  trigger?: string;
  advance?: string | JsonObject;
  webhook?: string;
  fault?: JsonObject | JsonObject[];
  receiver?: JsonObject;
  assume?: Record<string, string>;
  repeat?: Rounds;
  with?: JsonObject;
  as?: string | string[];
  headers?: JsonObject;
  query?: JsonObject;
  expect?: JsonObject;
}

/** The content of a scenario file. */
export interface Scenario {
  title: string;
  /** The rules that the scenario shows, each as "Heading: rule". */
  rules?: string[];
  fixture?: string;
  clock?: string;
  seed?: number | string;
  /** Options of the server, which need a separate sandbox. */
  server?: JsonObject;
  /** The overridden assumptions of the world. */
  assume?: Record<string, string>;
  /** Named values that several steps use, as ${given.name}. */
  given?: JsonObject;
  /** Rows, or the file with the rows. Every row is a separate run. */
  each?: JsonObject[] | string;
  steps: Step[];
}

/** A scenario with its file and the positions of its values. */
export interface Loaded {
  file: string;
  scenario: Scenario;
  /** The rows of `each`, which have the same columns. */
  rows?: readonly JsonObject[];
  /** The row of this run. */
  row?: JsonObject;
  /** Returns the position of a value, or of the nearest value around it. */
  locate(path: readonly (string | number)[]): Position;
}

export interface Difference {
  path: string;
  wanted: Json;
  /** Undefined if the value is missing. */
  actual: Json | undefined;
}

/** The result of a step. */
export interface Played {
  name: string;
  verb: string;
  /** The subject of the verb: an operation, an act, a kind. */
  about: string;
  passed: boolean;
  duration_ms: number;
  sent: Json | undefined;
  outcome: JsonObject;
  differences: Difference[];
  /** The file and line of a failed step. */
  at?: string;
  /** Why the request was rejected, if the step failed. */
  refusal?: Refusal;
  /** A command that shows more, if the step failed and the world still exists. */
  command?: string;
}

export interface Refusal {
  /** The id of the request or the act. */
  id: string;
  reason: readonly string[];
}

/** The result of a scenario, or why it was not played. */
export interface Result {
  file: string;
  title: string;
  passed: boolean;
  /** Why it was not played. */
  skipped?: string;
  /** An error outside the steps. */
  trouble?: string;
  steps: Played[];
  /** The number of steps after the failed one. */
  left: number;
  duration_ms: number;
  /** Texts that differ between runs, with their placeholders in a transcript. */
  blots: readonly (readonly [string, string])[];
}

/** A sandbox to play against. */
export interface Target {
  url: string;
  controlUrl: string;
  controlToken?: string;
}

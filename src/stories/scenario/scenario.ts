// The types of a scenario file and of its result. Every other file of the player uses them.
import type { Json, JsonObject } from "../../platform/json.ts";
import type { Position } from "../../platform/positions.ts";

/** What a step repeats: one verb of its own, or several steps. */
export type Rounds = { times: number; parallel?: boolean; steps?: Step[] } & Partial<Omit<Step, "name" | "repeat">>;

/** As spec/scenario.schema.json has it; exactly one verb is there. */
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

/** As it is written in the file. */
export interface Scenario {
  title: string;
  /** The rules that the story shows, each as "Heading: rule". */
  rules?: string[];
  fixture?: string;
  clock?: string;
  seed?: number | string;
  /** Options of a sandbox of its own, for what no world can choose. */
  server?: JsonObject;
  /** Other answers to open questions, in this world. */
  assume?: Record<string, string>;
  /** Named values that several steps use, as ${given.name}. */
  given?: JsonObject;
  /** Rows, or the file that has them: every row is a run of its own. */
  each?: JsonObject[] | string;
  steps: Step[];
}

/** A scenario with the file that it stands in, and where each of its values is written. */
export interface Loaded {
  file: string;
  scenario: Scenario;
  /** Of `each`; all have the same columns. */
  rows?: readonly JsonObject[];
  /** The one that this run is for. */
  row?: JsonObject;
  /** Of a value, or of the nearest thing around it. */
  locate(path: readonly (string | number)[]): Position;
}

export interface Difference {
  path: string;
  wanted: Json;
  /** Undefined: nothing was there. */
  actual: Json | undefined;
}

/** One step that was played. */
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
  /** Where a step that failed is written: file and line. */
  at?: string;
  /** The line of the request in the sandbox's journal, when the step failed. */
  journal?: string;
  /** Why it was refused, when the step failed. */
  refusal?: Refusal;
  /** What tells more, when the step failed and the world is still there. */
  command?: string;
}

export interface Refusal {
  /** Of the request or the act. */
  id: string;
  reason: readonly string[];
}

/** One scenario that was played, or why it was not. */
export interface Result {
  file: string;
  title: string;
  passed: boolean;
  /** Why it was not played. */
  skipped?: string;
  /** What went wrong outside any step. */
  trouble?: string;
  /** What of the sandbox it may be that let it fail. */
  note?: string;
  steps: Played[];
  /** The number of steps after the one that failed. */
  left: number;
  duration_ms: number;
  /** Texts that differ from run to run, and what stands for them in a transcript. */
  blots: readonly (readonly [string, string])[];
}

/** A sandbox to play against. */
export interface Target {
  url: string;
  controlUrl: string;
  controlToken?: string;
}

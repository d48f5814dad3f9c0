// What a tool is: data that server.ts lists, and a function that does it. No tool knows the protocol.
import type { Control, HttpOutcome } from "../client/control.ts";
import type { Block } from "./answer.ts";

/** What a tool gets: the sandbox, its documents, and the world that it is about. */
export interface Session {
  /** Where clients reach the sandbox. */
  readonly url: string;
  /** The package with its documents. */
  readonly folder: string;
  /** The world that the tools are about. */
  world(): string;
  /** The worlds that were made for this session, and go with it. */
  own(): readonly string[];
  /** Asks the sandbox about that world: the data of the response, or a SandboxError. */
  ask<T>(call: (control: Control) => Promise<HttpOutcome<T>>): Promise<T>;
  /** Puts a new world in the place of the session's own, and goes there. Returns those that are gone. */
  renew(beginning?: Beginning): Promise<readonly string[]>;
  /** Makes a copy of a world, and goes there. `spared`: the world of the session that stays as it was. */
  fork(world: string): Promise<{ spared: string | undefined; removed: readonly string[] }>;
  /** Goes to a world that is there. */
  use(world: string): void;
}

/** What a new world is made of; what is absent is the sandbox's default. */
export interface Beginning {
  fixture?: string | undefined;
  clock?: string | undefined;
  seed?: string | undefined;
}

/** What a tool takes, as it is listed: a JSON Schema. */
interface Input {
  type: "object";
  properties: Readonly<Record<string, object>>;
  additionalProperties: false;
}

/** Which action takes what, and must have what; `by` is the member that names the action. */
interface Actions {
  by: string | null;
  takes: Readonly<Record<string, readonly string[]>>;
  must?: Readonly<Record<string, readonly string[]>>;
}

/** What the table of the control surface has of a tool whose actions are its operations. */
export interface ToolRow extends Actions {
  input: Input;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: Input;
  actions?: Actions;
  /** Arguments that work. A refusal shows it. */
  example: Record<string, unknown>;
  /** More of them, of other actions. */
  examples?: readonly Record<string, unknown>[];
  /** What it does to the world; nothing where it only reads. Clients ask their user before a tool that destroys. */
  effect?: "changes" | "destroys";
  run(args: never, session: Session): Promise<readonly Block[]>;
}

/** A member of what a tool takes, as a JSON Schema. */
interface Member {
  readonly type: "string" | "integer" | "number" | "boolean" | "object";
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

// The type of an argument follows from its schema, so no tool declares it twice.
type ValueOf<Of extends Member> = Of extends { enum: readonly (infer Value)[] }
  ? Value
  : { string: string; integer: number; number: number; boolean: boolean; object: Record<string, unknown> }[Of["type"]];

/** Those with a default are always there. */
type ArgumentsOf<Takes> = {
  [Name in keyof Takes]?: Takes[Name] extends Member ? ValueOf<Takes[Name]> | undefined : never;
} & {
  [Name in keyof Takes as Takes[Name] extends { default: unknown } ? Name : never]: Takes[Name] extends Member
    ? ValueOf<Takes[Name]>
    : never;
};

/** A tool that takes these members and no other, with the types that they have. */
export function defineTool<const Takes extends Readonly<Record<string, Member>>>(
  tool: Omit<Tool, "input" | "run"> & {
    takes: Takes;
    run(args: ArgumentsOf<Takes>, session: Session): Promise<readonly Block[]>;
  },
): Tool {
  const { takes, ...others } = tool;
  return { ...others, input: { type: "object", properties: takes, additionalProperties: false } };
}

/** A call that does not work, and others to try. */
export class ToolRejection extends Error {
  readonly code: string;
  readonly tries: readonly string[];
  constructor(message: string, tries: readonly string[] = [], code = "INVALID_INPUT") {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.tries = tries;
  }
}

/**
 * A call as it is written to whoever calls tools: `act({"act":"cancelBooking"})`. Answers name the next call in full,
 * so that nothing has to be put together.
 */
export const callOf = (tool: string, args: object): string => `${tool}(${JSON.stringify(args)})`;

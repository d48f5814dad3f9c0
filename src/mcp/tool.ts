// What a tool is: data that server.ts lists, and a function that does it. No tool knows the protocol.
import * as z from "zod";
import type { Control, Outcome } from "../client/control.ts";
import type { Block } from "./answer.ts";

export interface Session {
  /** Where the sandbox is. */
  readonly url: string;
  /** The package with its documents. */
  readonly folder: string;
  /** The world that the tools are about. */
  world(): string;
  /** The world that was made for this session, and goes with it. */
  own(): string | undefined;
  /** Asks the sandbox about that world: the data of the response, or a SandboxError. */
  ask<T>(call: (control: Control) => Promise<Outcome<T>>): Promise<T>;
  /** Puts a new world in the place of the session's own, and goes there. */
  renew(beginning?: Beginning): Promise<void>;
  /** The same with a copy of another. */
  fork(world: string): Promise<void>;
  /** Goes to a world that is there. */
  use(world: string): void;
}

export interface Beginning {
  fixture?: string | undefined;
  clock?: string | undefined;
  seed?: string | undefined;
}

/** What a tool takes, as it is listed: a JSON Schema. */
export interface Input {
  type: "object";
  properties: Readonly<Record<string, object>>;
  additionalProperties: false;
}

/** A tool whose actions are operations of the control surface. */
export interface ToolRow {
  input: Input;
  takes: Readonly<Record<string, readonly string[]>>;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Reads the arguments where it was made of it; otherwise the JSON Schema does. */
  shape?: z.ZodType;
  /** Arguments that work. */
  example: Record<string, unknown>;
  /** What it does to the world; nothing where it only reads. */
  effect?: "changes" | "destroys";
  run(args: never, session: Session): Promise<readonly Block[]>;
}

/** A tool whose arguments have the types of its input. */
export function defineTool<Shape extends z.ZodObject>(
  tool: Omit<Tool, "input" | "run"> & {
    input: Shape;
    run(args: z.infer<Shape>, session: Session): Promise<readonly Block[]>;
  },
): Tool {
  const { properties = {} } = z.toJSONSchema(tool.input, { io: "input" });
  const input: Input = { type: "object", properties: properties as Input["properties"], additionalProperties: false };
  return { ...tool, input, shape: tool.input };
}

/** A call that does not work, and others to try. */
export class Refusal extends Error {
  readonly code: string;
  readonly tries: readonly string[];
  constructor(message: string, tries: readonly string[] = [], code = "INVALID_INPUT") {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.tries = tries;
  }
}

/** A call as it is written to whoever calls tools: `act({"act":"cancelBooking"})`. */
export const callOf = (tool: string, args: object): string => `${tool}(${JSON.stringify(args)})`;

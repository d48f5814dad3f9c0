// Defines tools. A tool is data that server.ts lists, and a function that runs it. Tools are independent of the protocol.
import type { Control, HttpOutcome, Schemas } from "../client/control.ts";
import { formatError, nameMember, type ReportedError } from "../client/sandbox-error.ts";
import type { Block } from "./result-pages.ts";

/** The access of a tool to the sandbox, its documents, and the selected world. */
export interface Session {
  /** The address of the sandbox for clients. */
  readonly url: string;
  /** The folder of the package, which contains the documents. */
  readonly folder: string;
  /** Returns the selected world. */
  world(): string;
  /** Returns the worlds that were created for this session and are removed when it ends. */
  own(): readonly string[];
  /** Sends a request about the selected world. Returns the data of the response, or throws a SandboxError. */
  ask<T>(call: (control: Control) => Promise<HttpOutcome<T>>): Promise<T>;
  /** Creates a world and selects it. */
  create(settings?: NewWorldSettings): Promise<void>;
  /** Copies a world and selects the copy. */
  fork(world: string): Promise<void>;
  /** Selects an existing world. */
  use(world: string): void;
}

/** The settings of a new world. Missing settings have the sandbox's defaults. */
export type NewWorldSettings = Pick<Schemas["WorldInput"], "fixture" | "clock" | "seed">;

/** The arguments of a tool as a JSON Schema. */
interface Input {
  type: "object";
  properties: Readonly<Record<string, object>>;
  additionalProperties: false;
}

/** The allowed and required arguments of each action. `by` is the argument that names the action. */
interface Actions {
  by: string | null;
  takes: Readonly<Record<string, readonly string[]>>;
  must?: Readonly<Record<string, readonly string[]>>;
}

/** The generated part of a tool whose actions are operations of the control API. */
export interface ToolRow extends Actions {
  input: Input;
}

export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  /** Default: the input that is generated for this name. */
  input?: Input;
  /** Arguments that work, which rejections suggest. */
  example: Record<string, unknown>;
  /** Example arguments of other actions. */
  examples?: readonly Record<string, unknown>[];
  /** The effect on the world; undefined if the tool only reads. Clients ask the user before a tool that destroys. */
  effect?: "changes" | "destroys";
  run(args: never, session: Session): Promise<readonly Block[]>;
}

export interface Tool extends ToolDefinition {
  input: Input;
  actions?: Actions;
}

/** Creates the schema of the arguments. Unknown arguments are rejected. */
export function createInput(properties: Input["properties"]): Input {
  return { type: "object", properties, additionalProperties: false };
}

/** A rejected tool call, with calls to try instead. */
export class ToolRejection extends Error {
  readonly code: string;
  readonly suggestions: readonly string[];
  constructor(message: string, suggestions: readonly string[] = [], code = "INVALID_INPUT") {
    super(message);
    this.name = "ToolRejection";
    this.code = code;
    this.suggestions = suggestions;
  }
}

/** Formats a complete tool call that a model can copy: `act({"act":"cancelBooking"})`. */
export const formatCall = (tool: string, args: object): string => `${tool}(${JSON.stringify(args)})`;

/** Requests of the control API that list existing ids, as calls of tools. */
const LISTS: Readonly<Record<string, string>> = {
  "GET /_sandbox/worlds": formatCall("world", { action: "list" }),
  "GET /_sandbox/requests": formatCall("requests", {}),
  "GET /_sandbox/log": formatCall("requests", {}),
  "GET /_sandbox/messages": formatCall("requests", { of: "messages" }),
  "GET /_sandbox/acts": formatCall("list_acts", {}),
  "GET /_sandbox/faults": formatCall("faults", { action: "list" }),
  "GET /_sandbox/verdicts": formatCall("verdict", { action: "list" }),
};

/** Formats an error of the control API in the terms of the tools. `within` is the argument that contains the complete input, if its fields are not arguments. */
export const formatToolError = (error: ReportedError, within?: string): string =>
  formatError(error, {
    value: (violation) => `\`${[within, nameMember(violation)].filter(Boolean).join(".") || "input"}\``,
    list: (request) => LISTS[request],
  });

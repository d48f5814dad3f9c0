// Declares what clients of the control API provide to the transport: checks of the log, MCP sessions and recorded scenarios.
import type { Schemas } from "../../contract/schemas.ts";

export interface LoggedTraffic {
  /** The requests, oldest first. Each is created when it is read. */
  requests: Iterable<Schemas["RequestEntry"]>;
  subscriptions: readonly object[];
  /** The API description in force. */
  document: Readonly<Record<string, unknown>>;
}

/** Checks the logged traffic of a program with the checks of a verdict. Other requests are served in the meantime. */
export type Lint = (traffic: LoggedTraffic) => Promise<Schemas["LintResult"][]>;

export interface McpMessage {
  /** The header mcp-session-id. */
  session: string | undefined;
  /** The header mcp-protocol-version. */
  protocol: string | undefined;
  body: unknown;
  /** An existing world to work in instead of one of the session's own. */
  world: string | undefined;
  /** The token of the caller, if there are accounts. It limits what the session may do. */
  token?: string | undefined;
  /** The account of the caller, who may only use its own sessions; undefined for the person who runs the sandbox. */
  account?: string | undefined;
}

export interface McpAnswer {
  status: number;
  session?: string;
  body?: unknown;
  /** A sentence that explains a failure. */
  rejection?: string;
}

/** Sessions of the Model Context Protocol. */
export interface McpSessions {
  ask(message: McpMessage): Promise<McpAnswer>;
  /** Resolves to whether there was such a session. */
  end(session: string, account?: string): Promise<boolean>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface RecordingRequest {
  world: string;
  wanted: Schemas["RecordingInput"];
  /** The credentials of the caller, if there are accounts. They limit what the recorder may do. */
  credentials?: Readonly<Record<string, string>> | undefined;
}

/** The reason why there is no scenario. */
export interface NoRecording {
  status: number;
  code: Schemas["ErrorCode"];
  rejection: string;
}

/** Records a scenario from the log of a world. */
export type RecordScenario = (request: RecordingRequest) => Promise<Schemas["Recording"] | NoRecording>;

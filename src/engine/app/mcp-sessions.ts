// Sessions of the Model Context Protocol, as the transport knows them: messages go in, answers come out.

export interface McpMessage {
  /** The header mcp-session-id. */
  session: string | undefined;
  /** The header mcp-protocol-version. */
  protocol: string | undefined;
  body: unknown;
  /** A world that is there, to work in instead of one of the session's own. */
  world: string | undefined;
  /** The token of the caller, where callers are told apart: the session may do no more. */
  token?: string | undefined;
  /** Of the caller, who may not use the sessions of others; undefined for the person who runs the sandbox. */
  account?: string | undefined;
}

export interface McpAnswer {
  status: number;
  session?: string;
  body?: unknown;
  /** In one sentence, where it is no success. */
  rejection?: string;
}

export interface McpSessions {
  ask(message: McpMessage): Promise<McpAnswer>;
  /** Whether there was such a session. */
  end(session: string, account?: string): Promise<boolean>;
  /** Ends all. */
  close(): Promise<void>;
}

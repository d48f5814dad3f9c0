// Describes how a program connects to a sandbox: the line of `start --json`, and the environment variables of `exec` and `env`.

/** The line of `start --json`. Its fields and their order are a contract. */
export interface Announcement {
  url: string;
  auth_url: string;
  token_url: string;
  client_id: string;
  client_secret: string;
  control_url: string;
  control_token: string;
  webhook_secret: string | null;
  world: string;
  fixture: string;
  now: string;
  pid: number;
}

/** The names are a contract with every program that `exec` runs. */
const VARIABLES = {
  SANDBOX_URL: "url",
  SANDBOX_AUTH_URL: "auth_url",
  SANDBOX_TOKEN_URL: "token_url",
  SANDBOX_CLIENT_ID: "client_id",
  SANDBOX_CLIENT_SECRET: "client_secret",
  SANDBOX_CONTROL_URL: "control_url",
  SANDBOX_CONTROL_TOKEN: "control_token",
  SANDBOX_WEBHOOK_SECRET: "webhook_secret",
} as const satisfies Record<string, keyof Announcement>;

type ConnectionInfo = Readonly<Record<(typeof VARIABLES)[keyof typeof VARIABLES], string | null | undefined>>;

/** Unknown values become empty, so that the variables of another sandbox don't remain in the environment. */
export function toEnvironment(known: ConnectionInfo): Record<string, string> {
  return Object.fromEntries(Object.entries(VARIABLES).map(([name, member]) => [name, known[member] ?? ""]));
}

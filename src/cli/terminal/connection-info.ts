// Describes how a program connects to a sandbox: the line of `start --json`, and the environment variables of `exec` and `env`.

interface WorldInfo {
  items: readonly { client_id: string; client_secret: string }[];
  webhook_secret?: string | null;
  fixture: string;
  now: string;
}

/** Returns the line of `start --json`. Its fields and their order are a contract. */
export const createAnnouncement = (
  url: string,
  control_token: string,
  { items: [key], webhook_secret, fixture, now }: WorldInfo,
) => ({
  url,
  auth_url: url,
  token_url: `${url}/oauth2/token`,
  client_id: key?.client_id ?? "",
  client_secret: key?.client_secret ?? "",
  control_url: `${url}/_sandbox`,
  control_token,
  webhook_secret: webhook_secret ?? null,
  world: "default",
  fixture,
  now,
  pid: process.pid,
});

export type Announcement = ReturnType<typeof createAnnouncement>;

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

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

/** The variables are `SANDBOX_URL` and so on. Their names are a contract with every program that `exec` runs. */
const CONNECTION = [
  "url",
  "auth_url",
  "token_url",
  "client_id",
  "client_secret",
  "control_url",
  "control_token",
  "webhook_secret",
] as const;

type ConnectionInfo = Readonly<Record<(typeof CONNECTION)[number], string | null | undefined>>;

/** Unknown values become empty, so that the variables of another sandbox don't remain in the environment. */
export function toEnvironment(known: ConnectionInfo): Record<string, string> {
  return Object.fromEntries(CONNECTION.map((name) => [`SANDBOX_${name.toUpperCase()}`, known[name] ?? ""]));
}

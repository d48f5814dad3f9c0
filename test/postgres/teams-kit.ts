// A sandbox on a database with teams, asked over HTTP as the operator and as the holders of tokens.
import { afterAll, beforeAll } from "vitest";
import { openSandbox, type TestSandbox } from "../sandbox.ts";
import { type Postgres, startPostgres } from "./postgres-kit.ts";

export const OPERATOR = "control-token-of-the-operator";

export interface Question {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  headers: Headers;
}

/** Asks as the holder of a token; `cookie=…` as a browser that has signed in. */
export type Ask = (
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Question>;

export interface Shared {
  sandbox: TestSandbox;
  url: string;
  ask: Ask;
  /** A team, and a token of each role in it. */
  team(id: string, quotas?: object): Promise<Record<"owner" | "developer" | "viewer", string>>;
  token(team: string, role: string, more?: object): Promise<{ token: string; id: string }>;
}

export async function openShared(database: string, settings: object = {}): Promise<Shared> {
  const sandbox = await openSandbox({ database, fixture: "empty", controlToken: OPERATOR, ...settings });
  return sharedAt(sandbox);
}

export function sharedAt(sandbox: TestSandbox): Shared {
  const { url } = sandbox;
  const ask: Ask = async (token, method, path, body, headers = {}) => {
    const view: Record<string, string> =
      token === undefined
        ? {}
        : token.startsWith("cookie=")
          ? { cookie: token.slice(7) }
          : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${path.startsWith("/") ? path : `/_sandbox/${path}`}`, {
      method,
      headers: { ...view, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers };
  };
  const token: Shared["token"] = async (team, role, more = {}) => {
    const { status, body } = await ask(OPERATOR, "POST", `teams/${team}/tokens`, {
      role,
      subject: `${role}-of-${team}`,
      ...more,
    });
    if (status !== 201) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    sandbox,
    url,
    ask,
    token,
    async team(id, quotas) {
      const { status, body } = await ask(OPERATOR, "POST", "teams", { id, ...(quotas ? { quotas } : {}) });
      if (status !== 201) throw new Error(`no team: ${status} ${JSON.stringify(body)}`);
      const [owner, developer, viewer] = await Promise.all(
        ["owner", "developer", "viewer"].map(async (role) => (await token(id, role)).token),
      );
      return { owner, developer, viewer } as Record<"owner" | "developer" | "viewer", string>;
    },
  };
}

/** For the tests of a `describe`: nodes on a database, from before the first test to after the last. The first is meant by default. */
export function sharedOfTests(settings: object = {}, count = 1): Shared & { database: string; nodes: Shared[] } {
  let postgres: Postgres;
  const nodes: Shared[] = [];
  const first = () => nodes[0] as Shared;
  const here = {
    database: "",
    nodes,
    get sandbox() {
      return first().sandbox;
    },
    get url() {
      return first().url;
    },
    ask: (...question: Parameters<Ask>) => first().ask(...question),
    team: (...named: Parameters<Shared["team"]>) => first().team(...named),
    token: (...named: Parameters<Shared["token"]>) => first().token(...named),
  };
  beforeAll(async () => {
    postgres = await startPostgres();
    here.database = await postgres.newDatabase();
    while (nodes.length < count) nodes.push(await openShared(here.database, settings));
  });
  afterAll(async () => {
    for (const { sandbox } of nodes) await sandbox.close();
    await postgres?.close();
  });
  return here;
}

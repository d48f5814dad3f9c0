// A sandbox for tests: one server a file, a world a test, every answer checked against the specification by the server itself
// (strict responses: a broken promise is a 500) and once more here for undocumented statuses.
import supertest from "supertest";
import operations from "../src/generated/operations.json" with { type: "json" };
import type { Route } from "../src/http/exchange.ts";
import { routesOf } from "../src/http/router.ts";
import { type Serving, serve } from "../src/http/serve.ts";
import { makeSandbox, type Sandbox } from "../src/sandbox.ts";
import type { Settings } from "../src/settings.ts";

/** The instant at which the fixtures are "now"; nothing in them shifts then. */
export const ANCHOR = "2030-06-01T09:00:00.000Z";

export const routes = new Map<string, Route>(routesOf(operations, false).map((route) => [route.id, route]));
/** Operations that were called somewhere in this process, for the contract test. */
export const called = new Set<string>();

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  headers: Record<string, string>;
  text: string;
}

export interface Input {
  path?: Record<string, string>;
  query?: Record<string, string | number | string[]> | string;
  body?: unknown;
  headers?: Record<string, string>;
  /** A bearer token; null for none. Default: one with every scope. */
  token?: string | null;
  /** The answer may be one that the specification does not document: an assumption was flipped. */
  undocumented?: boolean;
}

export interface TestWorld {
  id: string;
  clientId: string;
  clientSecret: string;
  call(operationId: string, input?: Input): Promise<Answered>;
  act(name: string, input?: object): Promise<Answered>;
  control(method: "get" | "post" | "put" | "delete", path: string, body?: object): Promise<Answered>;
  token(scopes?: string[]): Promise<string>;
}

export interface TestSandbox {
  running: Sandbox;
  url: string;
  world(input?: { fixture?: string; clock?: string | null; seed?: number | string }): Promise<TestWorld>;
  close(): Promise<void>;
}

export async function openSandbox(settings: Partial<Settings> = {}): Promise<TestSandbox> {
  const sandbox = await makeSandbox({ clock: ANCHOR, strictResponses: true, ...settings });
  const serving: Serving = await serve(sandbox.app, 0, "127.0.0.1");
  sandbox.reachedAt(serving.url);
  return {
    running: sandbox,
    url: serving.url,
    async world(input = {}) {
      const made = await supertest(serving.url).post("/_sandbox/worlds").send(input);
      if (made.status !== 201) throw new Error(`no world: ${made.status} ${made.text}`);
      return worldOf(serving.url, made.body.id, made.body.client_id, made.body.client_secret);
    },
    async close() {
      await serving.close();
      await sandbox.close();
    },
  };
}

export function worldOf(url: string, id: string, clientId: string, clientSecret: string): TestWorld {
  let usual: Promise<string> | undefined;
  const token = async (scopes?: string[]): Promise<string> => {
    const form = { grant_type: "client_credentials", audience: url, client_id: clientId, client_secret: clientSecret };
    const answer = await supertest(url)
      .post("/oauth2/token")
      .type("form")
      .send(scopes ? { ...form, scope: scopes.join(" ") } : form);
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
    return answer.body.access_token;
  };
  return {
    id,
    clientId,
    clientSecret,
    token,
    async call(operationId, input = {}) {
      const route = routes.get(operationId);
      if (!route) throw new Error(`there is no operation ${operationId}`);
      called.add(operationId);
      if (input.token === undefined) usual ??= token();
      const bearer = input.token === undefined ? await usual : input.token;
      const { operation } = route;
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(input.path?.[name] ?? ""),
      );
      const method = operation.method as "get" | "post" | "put" | "delete";
      const request = supertest(url)[method](path);
      if (typeof input.query === "string") request.query(input.query);
      else
        for (const [name, value] of Object.entries(input.query ?? {}))
          request.query({ [name]: Array.isArray(value) ? value.join(",") : value });
      if (operation.request?.headers?.some(({ name }) => name.toLowerCase() === "accept-language"))
        request.set("accept-language", "en");
      for (const [name, value] of Object.entries(input.headers ?? {})) request.set(name, value);
      if (bearer !== null) request.set("authorization", `Bearer ${bearer}`);
      const answer = (await (input.body === undefined
        ? request
        : request.send(input.body as object))) as unknown as Answered;
      if (!input.undocumented) mustBeDocumented(route, answer);
      return answer;
    },
    act: async (name, input = {}) =>
      (await supertest(url).post(`/_sandbox/acts/${name}`).set("sandbox-world", id).send(input)) as unknown as Answered,
    async control(method, path, body) {
      // A clock that moves may outlive the token.
      if (/^(clock|state|snapshots)/.test(path)) usual = undefined;
      const request = supertest(url)
        [method](`/_sandbox${path && `/${path}`}`)
        .set("sandbox-world", id);
      return (await (body === undefined ? request : request.send(body))) as unknown as Answered;
    },
  };
}

/** A `default` must not hide an answer that nobody documented. */
function mustBeDocumented({ operation, id }: Route, { status, text }: Answered): void {
  if (operation.responses.some(({ code }) => code === String(status))) return;
  throw new Error(`${id} answered ${status}, which its specification does not document: ${text.slice(0, 300)}`);
}

export const anna = {
  customer_type: "PRIVATE",
  name: "Anna Holm",
  email: "anna@example.com",
  phone: "+4520304050",
  address: { address_lines: ["Nyhavn 12", "2. tv"], city: "København K", zip_code: "1051", country: "DK" },
};

// A sandbox for tests: one server a file, a world a test, every answer checked against the specification by the server itself
// (strict responses: a broken promise is a 500) and once more here for undocumented statuses.
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Route } from "../src/engine/http/exchange.ts";
import { publicRoutes } from "../src/engine/http/routes.ts";
import { type Serving, serve } from "../src/engine/http/serve.ts";
import type { Settings } from "../src/engine/settings.ts";
import { makeSandbox, type Sandbox } from "../src/sandbox.ts";
import { type Answered, ask } from "./ask.ts";

export type { Answered } from "./ask.ts";

/** The instant at which the fixtures are "now"; nothing in them shifts then. */
export const ANCHOR = "2030-06-01T09:00:00.000Z";

export const routes = new Map(publicRoutes.map((route) => [route.id, route]));
/** Operations that were called somewhere in this process, for the contract test. */
export const called = new Set<string>();

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
  /** For supertest. */
  router: Sandbox["router"];
  url: string;
  world(input?: {
    id?: string;
    fixture?: string;
    clock?: string | null;
    webhook_url?: string;
    seed?: number | string;
  }): Promise<TestWorld>;
  close(): Promise<void>;
}

export async function openSandbox(settings: Partial<Settings> = {}): Promise<TestSandbox> {
  const sandbox = await makeSandbox({ clock: ANCHOR, strictResponses: true, ...settings });
  const serving: Serving = await serve(sandbox.router, 0, "127.0.0.1");
  await sandbox.reachedAt(serving.url);
  return {
    running: sandbox,
    router: sandbox.router,
    url: serving.url,
    async world(input = {}) {
      const made = await ask("post", `${serving.url}/_sandbox/worlds`, {}, input);
      if (made.status !== 201) throw new Error(`no world: ${made.status} ${made.text}`);
      return worldOf(serving.url, made.body.id, made.body.client_id, made.body.client_secret);
    },
    async close() {
      await serving.close();
      await sandbox.close();
    },
  };
}

/** A sandbox for all tests of a file, which is open from the first of its hooks on. */
export function shareSandbox(settings: Partial<Settings> = {}): TestSandbox {
  const shared = {} as TestSandbox;
  beforeAll(async () => void Object.assign(shared, await openSandbox(settings)));
  afterAll(() => shared.close?.());
  return shared;
}

/** A world for all tests of a file. */
export function shareWorld(sandbox: TestSandbox, input?: Parameters<TestSandbox["world"]>[0]): TestWorld {
  const shared = {} as TestWorld;
  beforeAll(async () => void Object.assign(shared, await sandbox.world(input)));
  return shared;
}

/** A world of its own for each test. */
export function renewWorld(create: () => Promise<TestWorld>): TestWorld {
  const renewed = {} as TestWorld;
  beforeEach(async () => void Object.assign(renewed, await create()));
  return renewed;
}

export function worldOf(url: string, id: string, clientId: string, clientSecret: string): TestWorld {
  let byDefault: Promise<string> | undefined;
  const token = async (scopes?: string[]): Promise<string> => {
    const form = { grant_type: "client_credentials", audience: url, client_id: clientId, client_secret: clientSecret };
    const sent = new URLSearchParams(scopes ? { ...form, scope: scopes.join(" ") } : form);
    const answer = await ask("post", `${url}/oauth2/token`, {}, sent.toString());
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
      if (input.token === undefined) byDefault ??= token();
      const bearer = input.token === undefined ? await byDefault : input.token;
      const { operation } = route;
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(input.path?.[name] ?? ""),
      );
      const negotiates = operation.request?.headers?.some(({ name }) => name.toLowerCase() === "accept-language");
      const headers = {
        ...(negotiates && { "accept-language": "en" }),
        ...input.headers,
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      };
      const answer = await ask(operation.method, `${url}${path}${queryOf(input.query)}`, headers, input.body);
      if (!input.undocumented) mustBeDocumented(route, answer);
      return answer;
    },
    act: (name, input = {}) => ask("post", `${url}/_sandbox/acts/${name}`, { "sandbox-world": id }, input),
    async control(method, path, body) {
      // A clock that moves may outlive the token.
      if (/^(clock|state|snapshots)/.test(path)) byDefault = undefined;
      return ask(method, `${url}/_sandbox${path && `/${path}`}`, { "sandbox-world": id }, body);
    },
  };
}

/** The world that a sandbox has from its start. */
export function findDefaultWorld({ running, url }: TestSandbox): TestWorld {
  const [key] = [...running.application.worlds.get("default")!.credentials().keys.all()];
  return worldOf(url, "default", key!.id, key!.secret);
}

function queryOf(query: Input["query"] = {}): string {
  const members = Object.entries(query).map(([name, value]) => [name, [value].flat().join(",")] as [string, string]);
  const text = typeof query === "string" ? query : new URLSearchParams(members).toString();
  return text && `?${text}`;
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

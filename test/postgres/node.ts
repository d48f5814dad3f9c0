// A built sandbox on a database, in a process of its own.
import { afterEach, expect, vi } from "vitest";
import { type Started, startSandboxCommand } from "../cli/run-sandbox.ts";
import { furnish as furnishOn, INPUT } from "../durability/own-process.ts";

export const CONTROL = "control-token-of-the-test";

export interface Node {
  url: string;
  started: Started;
  pid: number;
  control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  act(name: string, input: object): Promise<void>;
  /** The status, the id of the booking, and the header `retry-after`. */
  book(): Promise<{ status: number; id: string; retryAfter: string | null }>;
  get(path: string): Promise<{ status: number; body: unknown }>;
  bookings(): Promise<string[]>;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

export const startNode = (database: string, more: readonly string[] = []): Started =>
  startSandboxCommand([
    ...["start", "--database", database, "--fixture", "empty", "--json"],
    ...(more.includes("--control-token") ? [] : ["--control-token", CONTROL]),
    ...(more.includes("--port") ? [] : ["--port", "0"]),
    ...more,
  ]);

export async function openNode(database: string, more: readonly string[] = []): Promise<Node> {
  return reachedNode(startNode(database, more));
}

/** For the tests of a `describe`: a function that kills a node after the test. */
export function nodesOfTests(): (node: Promise<Node>) => Promise<Node> {
  const open: Promise<Node>[] = [];
  afterEach(async () => {
    await Promise.allSettled(open.splice(0).map(async (node) => (await node).end("SIGKILL")));
  });
  return (node) => {
    open.push(node);
    return node;
  };
}

/** Waits until it serves, which a waiting node does once it has taken over. */
export async function reachedNode(started: Started): Promise<Node> {
  const line = (await started.shows(/^\{.*\}$/m)).split("\n").find((each) => each.startsWith("{")) ?? "";
  const { url, pid, client_id, client_secret } = JSON.parse(line);
  const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
  const token = async () => {
    const answer = await answered(() =>
      fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) }),
    );
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
  const control: Node["control"] = async (method, path, body) => {
    const answer = await fetch(`${url}/_sandbox/${path}`, {
      method,
      headers: { authorization: `Bearer ${CONTROL}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  };
  const get: Node["get"] = async (path) => {
    const answer = await fetch(`${url}${path}`, { headers });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
  return {
    url,
    pid,
    started,
    control,
    get,
    async act(name, input) {
      const { status, body } = await control("POST", `acts/${name}`, input);
      expect([status, body]).toEqual([200, expect.anything()]);
    },
    async book() {
      try {
        const answer = await fetch(`${url}/v1/bookings`, { method: "POST", headers, body: JSON.stringify(INPUT) });
        const text = await answer.text();
        return {
          status: answer.status,
          id: answer.status === 201 ? JSON.parse(text).id : "",
          retryAfter: answer.headers.get("retry-after"),
        };
      } catch {
        return { status: 0, id: "", retryAfter: null };
      }
    },
    async bookings() {
      const { body } = await answered(() => control("GET", "state"));
      return ((body as { collections: { bookings?: { id: string }[] } }).collections.bookings ?? []).map(
        ({ id }) => id,
      );
    },
    end(signal) {
      started.child.kill(signal);
      return started.ended;
    },
  };
}

/** With the event that everybody books, after the present day: the clock of a node runs. */
export const furnish = (node: Node): Promise<void> => furnishOn(node, "2035-06-02");

/** Clients that book one after another while `go`: what they were answered 201, and every other status. */
export async function crowd(node: Node, clients: number, go: () => boolean) {
  const made: string[] = [];
  const others = new Set<number>();
  const client = async () => {
    while (go()) {
      const { status, id } = await node.book();
      if (status === 201) made.push(id);
      else {
        others.add(status);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { made, others: [...others] };
}

/** What lived on a node that was killed is served again once its heartbeat is old. */
async function answered<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  let last = await send();
  for (let tries = 0; last.status === 503 && tries < 120; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    last = await send();
  }
  expect(last.status).toBe(200);
  return last;
}

export const eventually = (check: () => unknown, timeout = 60_000): Promise<unknown> =>
  vi.waitFor(check, { timeout, interval: 50 });

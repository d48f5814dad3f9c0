// Several nodes on one database, each a process of its own with a cable of its own to PostgreSQL, and clients that ask any of them.
import { afterAll, beforeAll } from "vitest";
import { type Started, startSandboxCommand } from "../cli/run-sandbox.ts";
import { freePort } from "../free-port.ts";
import { type Cable, layCable } from "./cable.ts";
import { CONTROL, eventually } from "./node.ts";
import { type Postgres, startPostgres } from "./postgres-kit.ts";

export interface Answer {
  /** 0: there was none. */
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  retryAfter: string | null;
  /** Of the monotonic clock. */
  from: number;
  until: number;
}

export interface Sent {
  method?: string;
  token?: string;
  world?: string;
  body?: unknown;
  /** Then the client gives up. */
  patience?: number;
}

export async function ask(url: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = sent.body === undefined ? "GET" : "POST", token = CONTROL, world, body, patience = 30_000 } = sent;
  const from = performance.now();
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(world ? { "sandbox-world": world } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patience),
    });
    const text = await answer.text();
    const retryAfter = answer.headers.get("retry-after");
    return { status: answer.status, body: parsed(text), retryAfter, from, until: performance.now() };
  } catch {
    return { status: 0, body: null, retryAfter: null, from, until: performance.now() };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? null : text;
  }
}

export class ClusterNode {
  readonly url: string;
  readonly cable: Cable;
  started: Started;
  readonly #start: () => Started;

  constructor(url: string, cable: Cable, start: () => Started) {
    this.url = url;
    this.cable = cable;
    this.#start = start;
    this.started = start();
  }

  get pid(): number {
    return this.started.child.pid as number;
  }

  async isReady(timeout = 60_000): Promise<void> {
    await eventually(async () => {
      if ((await ask(this.url, "/readyz", { patience: 2000 })).status !== 200)
        throw new Error(`${this.url} is not ready`);
    }, timeout);
  }

  signal(name: NodeJS.Signals): void {
    this.started.child.kill(name);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.started.ended;
  }

  /** After its end: the same place, a new process. */
  async restart(): Promise<void> {
    this.started = this.#start();
    await this.isReady();
  }

  pause(): void {
    this.signal("SIGSTOP");
  }

  resume(): void {
    this.signal("SIGCONT");
  }
}

interface Around {
  nodes?: number;
  more?: readonly string[];
  /** Of each node. */
  environment?: (index: number) => Record<string, string>;
}

export interface Cluster {
  nodes: ClusterNode[];
  any(): ClusterNode;
  close(): Promise<void>;
}

export async function startCluster(
  database: string,
  { nodes: count = 3, more = [], environment }: Around = {},
): Promise<Cluster> {
  const port = Number(new URL(database).port);
  const nodes: ClusterNode[] = [];
  for (let index = 0; index < count; index++) {
    const [own, cable] = [await freePort(), await layCable(port)];
    const args = ["start", "--database", cable.through(database), "--fixture", "empty", "--json"];
    args.push("--control-token", CONTROL, "--port", String(own), ...more);
    nodes.push(
      new ClusterNode(`http://127.0.0.1:${own}`, cable, () => startSandboxCommand(args, environment?.(index) ?? {})),
    );
  }
  await Promise.all(nodes.map((node) => node.isReady()));
  return {
    nodes,
    any: () => nodes[Math.floor(Math.random() * nodes.length)] as ClusterNode,
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all(nodes.map(({ cable }) => cable.close()));
    },
  };
}

/** For the tests of a `describe`: a PostgreSQL and nodes on it, from before the first test to after the last. */
export function clusterOfTests(around: Around = {}): { postgres: Postgres; address: string; cluster: Cluster } {
  const here = {} as ReturnType<typeof clusterOfTests>;
  beforeAll(async () => {
    here.postgres = await startPostgres();
    here.address = await here.postgres.newDatabase();
    here.cluster = await startCluster(here.address, around);
  });
  afterAll(async () => {
    await here.cluster?.close();
    await here.postgres?.close();
  });
  return here;
}

// Five hundred clients at once, in fifty worlds, for a minute or less: every request is answered well, and nobody waits much longer than others.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { afterAll, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { control, type LoadTarget, tokenOf } from "./soak-load.ts";

const CHILD = "test/long/soak-child.mjs";
const [CLIENTS, WORLDS, SECONDS] = [500, 50, extent(15, 15, 60)];
const MOST_MS = 10_000;
/** Where the machine itself is so slow that all wait. */
const MOST_MEDIANS = 8;

let child: ChildProcess | undefined;
afterAll(() => child?.kill("SIGKILL"));

interface Credentials {
  client_id: string;
  client_secret: string;
}

async function tokensOf(target: LoadTarget): Promise<string[]> {
  const { items } = await control<{ items: Credentials[] }>(target, "POST", "/worlds/default/fork", { count: WORLDS });
  return Promise.all(
    items.map(({ client_id: clientId, client_secret: clientSecret }) =>
      tokenOf({ ...target, credentials: { clientId, clientSecret } }),
    ),
  );
}

const PATHS = [
  "/v1/me",
  "/v1/bookings?limit=100",
  "/v1/events?limit=500",
  "/v1/orders?limit=100",
  "/v1/accounting-journal-entries?limit=100",
];

it(`${CLIENTS} clients send requests to ${WORLDS} worlds for ${SECONDS} s`, {
  timeout: 4 * SECONDS * 1000,
}, async () => {
  child = fork(CHILD, { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [place] = (await once(child, "message")) as [LoadTarget];
  const tokens = await tokensOf(place);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const [waits, wrong] = [[] as number[], [] as string[]];
  const ask = (path: string, token: string): Promise<void> =>
    new Promise((resolve) => {
      const began = performance.now();
      const requested = request(
        place.url + path,
        { agent, headers: { authorization: `Bearer ${token}` } },
        (answer) => {
          if (answer.statusCode !== 200) wrong.push(`${path}: ${answer.statusCode}`);
          answer.resume().on("end", () => {
            waits.push(performance.now() - began);
            resolve();
          });
        },
      );
      requested.on("error", (error) => {
        wrong.push(`${path}: ${error.message}`);
        resolve();
      });
      requested.end();
    });
  const until = performance.now() + SECONDS * 1000;
  const client = async (_: unknown, index: number) => {
    for (let n = index; performance.now() < until; n++)
      await ask(PATHS[n % PATHS.length] as string, tokens[index % WORLDS] as string);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
  waits.sort((a, b) => a - b);
  const at = (share: number) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0);
  console.log(`${waits.length} requests; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
  expect(wrong).toEqual([]);
  expect(at(1)).toBeLessThan(Math.max(MOST_MS, MOST_MEDIANS * at(0.5)));
});

// The set-up of docs/hosted: two nodes on one database behind HAProxy, with the configuration file that the guide gives.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTROL, eventually, furnish, reachedNode, startNode } from "./node.ts";
import { freePort, type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";

const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
if (!HAPROXY)
  process.stderr.write("\n*** No HAProxy here: the test of docs/hosted is SKIPPED. apt-get install haproxy\n\n");

describe.skipIf(!postgresBin || !HAPROXY)("Two nodes behind HAProxy", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  it("serve at one address, which stays when the one that serves is killed", async () => {
    const database = await postgres.newDatabase();
    const [front, a, b, none] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const first = startNode(database, ["--port", String(a)]);
    const serving = await reachedNode(first);
    const second = startNode(database, ["--port", String(b)]);
    const proxy = spawn(HAPROXY as string, ["-f", "docs/hosted/haproxy.cfg", "-db"], {
      env: {
        LISTEN: `127.0.0.1:${front}`,
        NODE_A: `127.0.0.1:${a}`,
        NODE_B: `127.0.0.1:${b}`,
        NODE_C: `127.0.0.1:${none}`,
      },
      stdio: "ignore",
    });
    const asked = async () => {
      const answer = await fetch(`http://127.0.0.1:${front}/_sandbox/state`, {
        headers: { authorization: `Bearer ${CONTROL}` },
      });
      const { collections } = (await answer.json()) as { collections: { bookings?: unknown[] } };
      return { status: answer.status, bookings: collections?.bookings?.length ?? 0 };
    };
    try {
      await furnish(serving);
      for (let count = 0; count < 3; count++) expect((await serving.book()).status).toBe(201);
      await eventually(async () => expect(await asked()).toEqual({ status: 200, bookings: 3 }));
      first.child.kill("SIGKILL");
      await eventually(async () => expect(await asked()).toEqual({ status: 200, bookings: 3 }));
    } finally {
      proxy.kill();
      for (const { child } of [first, second]) child.kill("SIGKILL");
    }
  });
});

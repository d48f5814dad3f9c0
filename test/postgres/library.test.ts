// A suite that was written with the library, against a sandbox of three nodes with the token of a team: only the environment differs.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Sandbox, SandboxError, startSandbox } from "../../src/index.ts";
import { book, CLOCK, call, worksAnywhere } from "../library/works-anywhere.ts";
import { ask, clusterOfTests } from "./cluster.ts";
import { postgresBin } from "./postgres-kit.ts";

describe.skipIf(!postgresBin)("The library on three nodes", () => {
  const here = clusterOfTests();
  const sandboxes: Sandbox[] = [];
  let owner: string;
  let viewer: string;
  let turn = 0;
  const url = (index: number) => here.cluster.nodes[index]?.url as string;
  const next = () => sandboxes[turn++ % 3] as Sandbox;
  const control = async (method: string, path: string, body?: unknown, token?: string) =>
    ask(url(0), `/_sandbox/${path}`, { method, ...(body ? { body } : {}), ...(token ? { token } : {}) });
  const tokenOf = async (team: string, role: string) =>
    (await control("POST", `teams/${team}/tokens`, { role, subject: role })).body.token as string;

  beforeAll(async () => {
    await control("POST", "teams", { id: "acme", quotas: { worlds: 60 } });
    [owner, viewer] = await Promise.all([tokenOf("acme", "owner"), tokenOf("acme", "viewer")]);
    for (const index of [0, 1, 2]) {
      vi.stubEnv("SANDBOX_URL", url(index));
      vi.stubEnv("SANDBOX_CONTROL_TOKEN", owner);
      sandboxes.push(await startSandbox({ fixture: "harbour-tours", clock: CLOCK }));
    }
  });
  afterAll(async () => {
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    const { body } = await control("GET", "worlds", undefined, owner);
    expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(["acme"]);
  });

  worksAnywhere(next);

  it("sees on one node the changes through another", async () => {
    const [first, second] = [next(), next()];
    const id = `shared-${randomUUID().slice(0, 8)}`;
    await using world = await first.world({ id });
    const booking_id = await book(world);
    const elsewhere = { ...world, url: second.url };
    expect((await call(elsewhere, "GET", `/v1/bookings/${booking_id}`)).status).toBe(200);
    await expect(second.world({ id })).rejects.toMatchObject({ status: 409, code: "WORLD_EXISTS" });
    await world.act("cancelBooking", { booking_id });
    expect(await world.webhooks.waitFor("v1.booking.cancelled")).toMatchObject({ body: { payload: { booking_id } } });
  });

  it("explains what a role or a token may not do, in terms of the library", async () => {
    await expect(startSandbox({ url: url(1), controlToken: viewer })).rejects.toMatchObject({
      code: "ROLE_TOO_LOW",
      message: expect.stringContaining("it takes the role developer"),
    });
    const stranger = await startSandbox({ url: url(1), controlToken: "sbx_unknown" }).catch((reason: Error) => reason);
    expect(stranger).toBeInstanceOf(SandboxError);
    expect(stranger).toMatchObject({ status: 401 });
    expect((stranger as Error).message).toContain("Give the token as `controlToken` or in SANDBOX_CONTROL_TOKEN");
  });

  it("starts a separate node, which the others reach as soon as it exists", async () => {
    vi.stubEnv("SANDBOX_URL", undefined);
    const database = await here.postgres.newDatabase();
    const open = () => startSandbox({ database, fixture: "empty", controlToken: owner });
    const nodes = [await open(), await open()];
    const statuses = await Promise.all(
      nodes.map(async ({ url }) => (await ask(url, "/_sandbox/clock", { token: owner })).status),
    );
    await Promise.all(nodes.map((node) => node.close()));
    expect(statuses).toEqual([200, 200]);
  });
});

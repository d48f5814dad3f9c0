// Every operation of the control specification: whose token is let in, and what is written down about those that are not.
import type { IHttpOperation } from "@stoplight/types";
import { beforeAll, describe, expect, it, vi } from "vitest";
import controlOperations from "../../src/contract/generated/control-operations.json" with { type: "json" };
import { postgresBin } from "./postgres-kit.ts";
import { OPERATOR, type Shared, sharedOfTests } from "./teams-kit.ts";

const operations = (controlOperations as unknown as IHttpOperation[]).map((operation) => ({
  id: operation.iid ?? operation.id,
  method: operation.method.toUpperCase(),
  path: operation.path,
  /** It is about the world that it names. */
  isOfWorld:
    (operation.request?.query ?? []).some(({ name }) => name === "world") || operation.path.includes("{worldId}"),
}));
/** One brings the token in its body, the other is asked before a token is sent. */
const guarded = operations.filter(({ id }) => id !== "openSession" && id !== "proveToken");
/** Of the token alone. */
const OF_EVERYBODY = ["whoAmI", "closeSession"];
const READS = new Set(["GET", "HEAD"]);

const addressOf = (path: string, world: string, team: string) => {
  const filled = path
    .replace("{worldId}", world)
    .replace("{teamId}", team)
    .replace("{collection}", "bookings")
    .replace("{tokenId}", "000000000000")
    .replace(/\{\w+\}/g, "nobody");
  return path.includes("{worldId}") ? filled : `${filled}?world=${world}`;
};

describe.skipIf(!postgresBin)("On every path of the control API", () => {
  const shared = sharedOfTests();
  let a: Awaited<ReturnType<Shared["team"]>>;
  let b: Awaited<ReturnType<Shared["team"]>>;
  beforeAll(async () => {
    [a, b] = [await shared.team("team-a"), await shared.team("team-b")];
    const { status } = await shared.ask(a.developer, "POST", "worlds", { id: "world-of-a", fixture: "empty" });
    expect(status).toBe(201);
  });

  /** [operation, status] of each, asked one after another. */
  async function statuses(token: string | undefined, some: typeof operations, team = "team-a") {
    const found: [string, number][] = [];
    for (const { id, method, path } of some) {
      const { status } = await shared.ask(token, method, addressOf(path, "world-of-a", team));
      found.push([id, status]);
    }
    return found;
  }
  const audited = async (query: string) => {
    const { body } = await shared.ask(OPERATOR, "GET", `audit?limit=500&${query}`);
    return new Set(body.items.map(({ action, status }: { action: string; status: number }) => `${action} ${status}`));
  };

  it("another team's world and team are not found, and the request is audited", async () => {
    const about = guarded.filter(({ path, isOfWorld }) => isOfWorld || path.includes("{teamId}"));
    expect(about.length).toBeGreaterThan(90);
    for (const token of [b.owner, b.viewer])
      expect(await statuses(token, about)).toEqual(about.map(({ id }) => [id, 404]));
    const rows = await audited("subject=owner-of-team-b");
    for (const { id } of about) expect(rows).toContain(`${id} 404`);
    expect((await shared.ask(a.viewer, "GET", "worlds/world-of-a")).status).toBe(200);
  });

  it("another team's world gets exactly the response of an unknown one", async () => {
    const [foreign, missing] = [
      await shared.ask(b.owner, "GET", "worlds/world-of-a"),
      await shared.ask(b.owner, "GET", "worlds/world-of-x"),
    ];
    expect(JSON.stringify(foreign.body).replace("world-of-a", "world-of-x")).toBe(JSON.stringify(missing.body));
  });

  it("a viewer changes nothing, and the request is audited", async () => {
    const changing = guarded.filter(({ id, method }) => !READS.has(method) && !OF_EVERYBODY.includes(id));
    expect(await statuses(a.viewer, changing)).toEqual(changing.map(({ id }) => [id, 403]));
    const rows = await audited("subject=viewer-of-team-a");
    for (const { id } of changing) expect(rows).toContain(`${id} 403`);
    const secrets = guarded.filter(({ id }) =>
      ["listWorldCredentials", "exportState", "explainSignature"].includes(id),
    );
    expect(await statuses(a.viewer, secrets)).toEqual(secrets.map(({ id }) => [id, 403]));
  });

  it("a missing, revoked or expired token is rejected, and the request is audited", async () => {
    const [revoked, expired] = [
      await shared.token("team-a", "owner", { subject: "left" }),
      await shared.token("team-a", "owner", { subject: "late", expires: "PT0.1S" }),
    ];
    await shared.ask(OPERATOR, "DELETE", `teams/team-a/tokens/${revoked.id}`);
    await vi.waitFor(async () => expect((await shared.ask(expired.token, "GET", "me")).status).toBe(401), {
      timeout: 10_000,
    });
    for (const token of [undefined, revoked.token, expired.token])
      expect(await statuses(token, guarded)).toEqual(guarded.map(({ id }) => [id, 401]));
    for (const { id } of [revoked, expired]) {
      const rows = await audited(`token=${id}`);
      for (const operation of guarded) expect(rows).toContain(`${operation.id} 401`);
    }
    expect((await audited("subject=unknown")).size).toBeGreaterThan(50);
  });

  it("only the operator creates teams, sets their quotas, and reads the metrics of all", async () => {
    const his = guarded.filter(
      ({ id }) =>
        ["createTeam", "deleteTeam", "getMetrics"].includes(id) ||
        ["setTeamQuotas", "changeTeamQuotas", "setWebhookTargets", "changeWebhookTargets"].includes(id),
    );
    expect(await statuses(a.owner, his)).toEqual(his.map(({ id }) => [id, 403]));
  });
});

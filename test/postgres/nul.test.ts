// A NUL character in a name: PostgreSQL has none in its texts, so no statement may have one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";
import { OPERATOR, openShared, type Shared } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("A NUL character in a name", () => {
  let postgres: Postgres;
  let shared: Shared;
  let owner: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    shared = await openShared(await postgres.newDatabase());
    ({ owner } = await shared.team("acme"));
  });
  afterAll(async () => {
    await shared?.sandbox.close();
    await postgres?.close();
  });

  const REFUSED: [
    action: string,
    method: string,
    path: string,
    body?: object | undefined,
    headers?: Record<string, string>,
  ][] = [
    ["createTeam", "POST", "teams", { id: "nul", name: "a\0b" }],
    ["listCollections", "GET", "records?world=%00"],
    ["listRecords", "GET", "records/bookings", undefined, { "sandbox-world": "%00" }],
    ["deleteWorld", "DELETE", "worlds/a%00"],
    ["listAudit", "GET", "audit?subject=%00"],
    ["getTeam", "GET", "teams/%00"],
    ["revokeControlToken", "DELETE", "teams/acme/tokens/%00"],
    ["saveSnapshot", "PUT", "snapshots/a%00b"],
  ];
  it.each(REFUSED)("is rejected in one sentence and audited: %s", async (action, method, path, body, headers) => {
    const refused = await shared.ask(OPERATOR, method, path, body, headers);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(" has a NUL character")]);
    const { items } = (await shared.ask(OPERATOR, "GET", `audit?action=${action}`)).body;
    expect(items[0]).toMatchObject({ status: 400 });
  });

  it("is audited for a field, with another character in its place", async () => {
    expect((await shared.ask(owner, "DELETE", "teams/acme/tokens/%00")).status).toBe(400);
    const { items } = (await shared.ask(owner, "GET", "audit?action=revokeControlToken")).body;
    expect(items[0]).toMatchObject({ status: 400, subject: "owner-of-acme", detail: { tokenId: "\ufffd" } });
  });
});

// A NUL character in a name: PostgreSQL has none in its texts, so no statement may have one.
import { describe, expect, it } from "vitest";
import { postgresBin } from "./postgres-kit.ts";
import { OPERATOR, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("A NUL character in a name", () => {
  const shared = sharedOfTests();

  it.each([
    ["GET", "records?world=%00", 404],
    ["DELETE", "worlds/a%00", 404],
    ["GET", "audit?subject=%00", 400],
    ["DELETE", "teams/acme/tokens/%00", 400],
    ["PUT", "snapshots/a%00b", 400],
  ])("is rejected: %s %s", async (method, path, status) => {
    expect((await shared.ask(OPERATOR, method, path)).status).toBe(status);
  });

  it("is in no webhook target that a team has or removes", async () => {
    await shared.team("targets");
    const { status } = await shared.ask(OPERATOR, "PATCH", "teams/targets/webhook-targets", { remove: ["a\0b"] });
    expect(status).toBe(200);
  });

  it("is stored and audited with another character in its place", async () => {
    const { body } = await shared.ask(OPERATOR, "POST", "teams", { id: "nul", name: "a\0b" });
    const { owner } = await shared.team("acme");
    expect(body.name).toBe("a\ufffdb");
    expect((await shared.ask(owner, "DELETE", "teams/acme/tokens/%00")).status).toBe(400);
    const { items } = (await shared.ask(owner, "GET", "audit?action=revokeControlToken")).body;
    expect(items[0]).toMatchObject({ status: 400, subject: "owner-of-acme", detail: { tokenId: "\ufffd" } });
  });
});

// Teams, members, tokens and roles over HTTP, with a real PostgreSQL.
import { describe, expect, it, vi } from "vitest";
import { postgresBin, queryRows } from "./postgres-kit.ts";
import { OPERATOR, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("A shared sandbox", () => {
  const shared = sharedOfTests();
  const { ask } = shared;

  const refusedSoon = (token: string, why: RegExp) =>
    vi.waitFor(
      async () => {
        const { status, body } = await ask(token, "GET", "me");
        expect([status, body.message]).toEqual([401, expect.stringMatching(why)]);
      },
      { timeout: 10_000, interval: 200 },
    );

  it("reports the caller, and gives a team a default world", async () => {
    const { developer } = await shared.team("acme");
    expect((await ask(OPERATOR, "GET", "me")).body).toMatchObject({
      role: "operator",
      team: null,
      default_world: "default",
    });
    expect((await ask(developer, "GET", "me")).body).toMatchObject({
      role: "developer",
      team: "acme",
      subject: "developer-of-acme",
      expires_at: null,
      default_world: "acme",
    });
    expect((await ask(developer, "GET", "/_sandbox")).body).toMatchObject({ world: "acme" });
    expect((await ask(developer, "GET", "/_sandbox?world=default")).body).toMatchObject({ world: "acme" });
    expect((await ask(developer, "GET", "worlds/default")).body).toMatchObject({ id: "acme" });
    expect((await ask(OPERATOR, "GET", "/_sandbox")).body).toMatchObject({ world: "default" });
    expect((await ask(developer, "DELETE", "worlds/acme")).status).toBe(409);
    expect((await ask(OPERATOR, "POST", "teams", { id: "acme" })).body.code).toBe("TEAM_EXISTS");
    expect((await ask(OPERATOR, "POST", "teams", { id: "default" })).body.code).toBe("TEAM_EXISTS");
  });

  it("stores only hashes of tokens, and shows a token once", async () => {
    await shared.team("hashes");
    const { token, id } = await shared.token("hashes", "developer", { expires: "P90D" });
    expect(token).toMatch(/^sbx_[\w-]{43}$/);
    const { items } = (await ask(OPERATOR, "GET", "teams/hashes/tokens")).body;
    expect(JSON.stringify(items)).not.toContain(token.slice(4));
    const listed = items.find((each: { id: string }) => each.id === id);
    const days = (Date.parse(listed.expires_at) - Date.parse(listed.created_at)) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    const rows = await queryRows(shared.database, "select * from tokens where team = 'hashes'");
    expect(JSON.stringify(rows)).not.toContain(token.slice(4, 20));
    const wrong = await ask(OPERATOR, "POST", "teams/hashes/tokens", { role: "viewer", expires: "soon" });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining("P90D")]);
    expect((await ask(OPERATOR, "POST", "teams/hashes/tokens", { role: "viewer", expires: "PT0S" })).status).toBe(400);
    expect((await ask(OPERATOR, "POST", "teams/nobody/tokens", { role: "viewer" })).status).toBe(404);
    const dotted = await ask(OPERATOR, "POST", "teams/hashes/tokens", { role: "viewer", subject: ".." });
    expect([dotted.status, dotted.body.message]).toEqual([
      400,
      expect.stringContaining("beginning with a letter or digit"),
    ]);
  });

  it("rejects a token soon after it was revoked, has expired, or its subject has left", async () => {
    const { owner } = await shared.team("gone");
    const [revoked, expiring, leaving] = [
      await shared.token("gone", "developer", { subject: "anna" }),
      await shared.token("gone", "developer", { subject: "ben", expires: "PT3S" }),
      await shared.token("gone", "developer", { subject: "cleo" }),
    ];
    for (const { token } of [revoked, expiring, leaving]) expect((await ask(token, "GET", "me")).status).toBe(200);
    expect((await ask(owner, "DELETE", `teams/gone/tokens/${revoked.id}`)).status).toBe(204);
    expect((await ask(owner, "DELETE", "teams/gone/tokens/000000000000")).status).toBe(404);
    expect((await ask(owner, "DELETE", "teams/gone/members/cleo")).status).toBe(204);
    await refusedSoon(revoked.token, /was revoked at/);
    await refusedSoon(leaving.token, /was revoked at/);
    await refusedSoon(expiring.token, /expired at/);
    await refusedSoon(`sbx_${"x".repeat(43)}`, /unknown/);
    const { items } = (await ask(OPERATOR, "GET", "audit?team=gone&action=whoAmI")).body;
    expect(items.map(({ status, token }: { status: number; token: string }) => [status, token])).toContainEqual([
      401,
      revoked.id,
    ]);
  });

  it("closes the streams and relays of a revoked token, of a former member, and of a lowered role", async () => {
    const { owner } = await shared.team("streams");
    const leave = new AbortController();
    const token = async (subject: string) => shared.token("streams", "developer", { subject });
    const opened = async (holder: string, method: string, path: string) => {
      const headers = { authorization: `Bearer ${holder}` };
      const answer = await fetch(`${shared.url}/_sandbox/${path}`, { method, headers, signal: leave.signal });
      expect(answer.status).toBe(200);
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      void answer.text().then(over, over);
      return () => isOver;
    };
    const [revoked, leaving, lowered, staying] = [
      await token("anna"),
      await token("ben"),
      await token("cleo"),
      await token("dora"),
    ];
    const ending = [
      await opened(revoked.token, "GET", "stream"),
      await opened(revoked.token, "POST", "relay"),
      await opened(leaving.token, "GET", "stream"),
      await opened(lowered.token, "POST", "relay"),
    ];
    const going = [await opened(staying.token, "GET", "stream"), await opened(lowered.token, "GET", "stream")];
    expect((await ask(owner, "DELETE", `teams/streams/tokens/${revoked.id}`)).status).toBe(204);
    expect((await ask(owner, "DELETE", "teams/streams/members/ben")).status).toBe(204);
    expect((await ask(owner, "PUT", "teams/streams/members/cleo", { role: "viewer" })).status).toBe(200);
    const isOver = (streams: (() => boolean)[]) => streams.map((each) => each());
    await vi.waitFor(() => expect(isOver(ending)).toEqual([true, true, true, true]), 10_000);
    expect(isOver(going)).toEqual([false, false]);
    leave.abort();
  });

  it("allows at most the subject's current role in the team", async () => {
    const { owner, developer } = await shared.team("roles");
    const create = () => ask(developer, "POST", "worlds", { fixture: "empty" });
    expect((await create()).status).toBe(201);
    expect((await ask(owner, "PUT", "teams/roles/members/developer-of-roles", { role: "viewer" })).status).toBe(200);
    await vi.waitFor(
      async () => {
        const { status, body } = await create();
        expect([status, body.code, body.message]).toEqual([
          403,
          "ROLE_TOO_LOW",
          expect.stringContaining("takes the role developer"),
        ]);
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  it.each([
    ["owner", "viewer", "viewer"],
    ["viewer", "owner", "viewer"],
    ["developer", "owner", "developer"],
    ["owner", "owner", "owner"],
  ])("reports that a token of %s that a %s has counts as that of a %s", async (role, member, least) => {
    const id = `${role}-of-${member}`;
    const { owner } = await shared.team(id);
    expect((await ask(owner, "PUT", `teams/${id}/members/anna`, { role: member })).status).toBe(200);
    const made = await ask(owner, "POST", `teams/${id}/tokens`, { role, subject: "anna" });
    const { items } = (await ask(owner, "GET", `teams/${id}/tokens`)).body;
    const own = (await ask(made.body.token, "GET", "me")).body;
    const listed = items.find((token: { id: string }) => token.id === made.body.id);
    expect([made.body.role, listed.role, own.role]).toEqual([least, least, least]);
  });

  it("lists a team's worlds and teams only for that team, and all for the operator", async () => {
    const [one, two] = [await shared.team("one"), await shared.team("two")];
    expect((await ask(one.developer, "POST", "worlds", { id: "one-a", fixture: "empty" })).status).toBe(201);
    expect((await ask(one.developer, "POST", "worlds/one-a/fork", { count: 2 })).status).toBe(201);
    const ids = async (token: string) =>
      (await ask(token, "GET", "worlds")).body.items.map(({ id }: { id: string }) => id).sort();
    expect((await ids(one.viewer)).length).toBe(4);
    expect(await ids(two.viewer)).toEqual(["two"]);
    expect(await ids(OPERATOR)).toEqual(expect.arrayContaining(["default", "one", "one-a", "two"]));
    for (const id of ["one-a", "one", "default"])
      expect((await ask(two.developer, "POST", "worlds", { id })).body.code).toBe("WORLD_EXISTS");
    expect((await ask(one.viewer, "GET", "teams")).body.items.map(({ id }: { id: string }) => id)).toEqual(["one"]);
    const removal = await ask(OPERATOR, "DELETE", "teams/one");
    expect([removal.status, removal.body.code]).toEqual([409, "TEAM_HAS_WORLDS"]);
    expect((await ask(OPERATOR, "DELETE", "teams/two")).status).toBe(204);
    await refusedSoon(two.owner, /unknown/);
    expect((await ask(OPERATOR, "GET", "worlds/two")).status).toBe(404);
  });

  it("signs browsers in with a token, on every node, until they sign out or the token is revoked", async () => {
    const { viewer } = await shared.team("browsers");
    const signedIn = async (token: string) => {
      const answer = await ask(undefined, "POST", "session", { token }, { origin: shared.url });
      return {
        status: answer.status,
        cookie: `cookie=${answer.headers.get("set-cookie")?.split(";")[0]}`,
        body: answer.body,
      };
    };
    const { token, id } = await shared.token("browsers", "developer");
    const browser = await signedIn(token);
    expect((await ask(browser.cookie, "GET", "me")).body).toMatchObject({ role: "developer", team: "browsers" });
    expect((await ask(browser.cookie, "POST", "worlds", { fixture: "empty" })).status).toBe(403);
    const asPage = { origin: shared.url };
    expect((await ask(browser.cookie, "POST", "worlds", { fixture: "empty" }, asPage)).status).toBe(201);
    expect((await signedIn("sbx_nothing")).status).toBe(401);
    const other = await signedIn(viewer);
    expect((await ask(other.cookie, "DELETE", "session", undefined, asPage)).status).toBe(204);
    await refusedSoon(other.cookie, /sign-in has ended/);
    const operator = await signedIn(OPERATOR);
    expect((await ask(operator.cookie, "GET", "me")).body.role).toBe("operator");
    await ask(OPERATOR, "DELETE", `teams/browsers/tokens/${id}`);
    await refusedSoon(browser.cookie, /was revoked at/);
  });

  it("audits changes, exports, reads of secrets and rejections, for owners and the operator", async () => {
    const { owner, developer, viewer } = await shared.team("audited");
    await ask(developer, "POST", "worlds", { id: "audited-a", fixture: "empty" });
    await ask(developer, "GET", "worlds/audited-a/credentials");
    await ask(developer, "GET", "state?world=audited-a");
    await ask(viewer, "GET", "worlds/audited-a");
    await ask(viewer, "DELETE", "worlds/audited-a");
    const { body } = await ask(owner, "GET", "audit");
    const rows = body.items.map((each: Record<string, unknown>) => [
      each.action,
      each.subject,
      each.world,
      each.status,
    ]);
    expect(rows).toEqual([
      ["deleteWorld", "viewer-of-audited", "audited-a", 403],
      ["exportState", "developer-of-audited", "audited-a", 200],
      ["listWorldCredentials", "developer-of-audited", "audited-a", 200],
      ["createWorld", "developer-of-audited", "audited-a", 201],
      ...["viewer", "developer", "owner"].map(() => ["createControlToken", "operator", null, 201]),
    ]);
    await ask(OPERATOR, "PUT", "teams/audited/quotas", { worlds: 9 });
    await ask(OPERATOR, "DELETE", "worlds/audited-a");
    const [removed, changed] = (await ask(owner, "GET", "audit?subject=operator")).body.items;
    expect(removed).toMatchObject({ action: "deleteWorld", world: "audited-a", team: "audited", status: 204 });
    expect(changed).toMatchObject({ action: "setTeamQuotas", world: null, team: "audited", status: 200 });
    expect((await ask(viewer, "GET", "audit")).status).toBe(403);
    const page = (await ask(owner, "GET", "audit?limit=3")).body;
    const rest = (await ask(owner, "GET", `audit?limit=3&cursor=${page.next}`)).body;
    expect([page.items.length, rest.items.length]).toEqual([3, 3]);
    expect((await ask(OPERATOR, "GET", "audit?about_world=audited-a&action=exportState")).body.items.length).toBe(1);
    expect((await ask(OPERATOR, "GET", "audit?action=exportStat")).body.message).toContain("Did you mean exportState");
    const made = (await ask(OPERATOR, "GET", "audit?action=createTeam")).body.items[0];
    expect(made).toMatchObject({ subject: "operator", team: null, status: 201 });
  });
});

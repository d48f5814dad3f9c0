// The commands of a shared sandbox as people type them, and the other clients with a team's token.
import { describe, expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { postgresBin } from "./postgres-kit.ts";
import { OPERATOR, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("The commands of a shared sandbox", () => {
  const shared = sharedOfTests();
  const home = makeTempFolder();

  const as = (token: string) => ({ SANDBOX_URL: shared.url, SANDBOX_CONTROL_TOKEN: token, XDG_CONFIG_HOME: home });
  const typed = async (token: string, line: string) => {
    const { code, stdout, stderr } = await runHere(line.split(" "), as(token));
    return [code, stdout, stderr] as const;
  };
  const done = async (token: string, line: string) => {
    const [code, stdout, stderr] = await typed(token, line);
    expect([line, code, stderr]).toEqual([line, 0, expect.anything()]);
    return stdout;
  };

  it("create a team and its tokens, and show its usage", async () => {
    expect(await done(OPERATOR, "team create acme --name Acme --worlds 5 --requests 9000")).toContain(
      "sandbox token create --team acme",
    );
    const owner = (await done(OPERATOR, "token create --team acme --role owner --subject anna --expires P90D")).trim();
    expect(owner).toMatch(/^sbx_/);
    expect(await done(owner, "login")).toMatch(/^anna, owner in the team acme, until \d{4}-/);
    expect(await done(owner, "team")).toBe("acme  worlds 5  bytes no limit  requests a minute 9,000\n");
    expect(await done(OPERATOR, "team quota acme --worlds 6 --requests none")).toMatch(/^worlds +6$/m);
    expect(await done(owner, "team show")).toMatch(
      /^team +acme Acme\nworlds +1 of 6\nbytes +[\d,]+ of no limit\nrequests a minute +\d+ of no limit\nwebhooks +public addresses\n$/,
    );
    expect(await done(owner, "team members acme")).toMatch(/^anna +owner /m);
    const developer = (await done(owner, "token create --subject ci")).trim();
    expect(await done(owner, "token list")).toMatch(/ci +developer/);
    const { items } = JSON.parse(await done(owner, "token list --json"));
    const id = items.find(({ subject }: { subject: string }) => subject === "ci").id;
    expect(await done(developer, "world create --fixture empty --json")).toContain("client_secret");
    expect(await done(owner, `token revoke ${id}`)).toBe(`Revoked the token ${id}.\n`);
    expect(await done(OPERATOR, "team allow acme 10.0.0.0/8 hooks.example")).toBe("10.0.0.0/8\nhooks.example\n");
    expect(await done(OPERATOR, "team allow acme 10.0.0.0/8 --remove")).toBe("hooks.example\n");
    const audit = await done(owner, "audit --action createControlToken");
    for (const value of ["201", "createControlToken", "anna", "acme"]) expect(audit).toContain(value);
  });

  it("explain rejections in their own terms", async () => {
    const { owner, viewer } = await shared.team("words", { worlds: 2 });
    const refused = async (token: string, line: string) => (await typed(token, line))[2];
    expect(await refused(viewer, "world create")).toMatch(/^ROLE_TOO_LOW: viewer-of-words is viewer in the team words/);
    expect(await refused(owner, "team quota words --worlds 9")).toContain("only the operator may do that");
    expect(await refused("sbx_wrong", "world list")).toContain(
      "Sign in with `sandbox login <address>`, or set SANDBOX_CONTROL_TOKEN",
    );
    expect(await refused(owner, "team show acme")).toContain("`sandbox team list` lists them");
    expect(await refused(owner, "token create --expires soon")).toContain(
      "--expires: soon is not an ISO 8601 duration",
    );
    expect(await refused(owner, "token revoke sbx_abc")).toContain("Name its id");
    expect(await refused(OPERATOR, "token list")).toContain("--team <id>");
    expect(await refused(OPERATOR, "team quota words")).toContain("--worlds 20");
    expect(await refused(OPERATOR, "team quota words --worlds many")).toContain("--worlds: must be integer or null");
    expect(await refused(OPERATOR, "team members words anna")).toContain("--role");
    expect(await refused(OPERATOR, "team allow words 10.0.0.0/99")).toMatch(
      /^<target>: 10\.0\.0\.0\/99 is no host name/,
    );
    await done(owner, "world create --fixture empty");
    expect(await refused(owner, "world create --fixture empty")).toContain(
      "QUOTA_EXCEEDED: Team words has 2 of 2 worlds",
    );
    expect(await refused(OPERATOR, "team remove words")).toMatch(/ Remove (?:it|them) first\.\n$/);
  });

  it("work as on a private sandbox, in the default world of the team", async () => {
    const { developer } = await shared.team("plain");
    await done(developer, "world reset");
    await done(developer, "snapshot save before");
    expect(await done(developer, "clock --json")).toContain("now");
    expect(JSON.parse(await done(developer, "env --json")).SANDBOX_CLIENT_ID).toMatch(/^plain\./);
    expect(await done(developer, "world list")).toMatch(/^plain /);
    const scenario = "scenarios/a-basket-has-to-make-sense.yaml";
    expect(await done(developer, `play ${scenario} --url ${shared.url}`)).toContain("Items nobody sells");
  });

  it("play a scenario with a receiver, whose address no webhook of a team reaches", async () => {
    const { developer } = await shared.team("stories");
    const scenario = "scenarios/a-receiver-is-down-and-comes-back.yaml";
    expect(await done(developer, `play ${scenario} --url ${shared.url}`)).toContain("1 passed");
    // Neither the relay nor the receiver is left, and the world is removed.
    expect(JSON.parse(await done(developer, "world list --json")).items).toHaveLength(1);
  });
});

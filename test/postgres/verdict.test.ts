// A verdict in a hosted sandbox, as a developer of a team runs it: one drill, on two nodes that take turns, with room for one more world.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Run, startSandboxCommand } from "../cli/run-sandbox.ts";
import { careful, careless, meantBy } from "../verdict/matrix.ts";
import { ask, clusterOfTests } from "./cluster.ts";
import { postgresBin } from "./postgres-kit.ts";

const blind = careless.find((each) => meantBy(each) === "RETRY-01") ?? "";
const deaf = careless.find((each) => meantBy(each) === "HOOK-01") ?? "";

describe.skipIf(!postgresBin)("A verdict in a hosted sandbox", () => {
  const here = clusterOfTests({ nodes: 2 });
  let turn = 0;
  /** Whether the connection of a request is lost. */
  let isLost = (_method: string | undefined) => false;
  /** Each request goes to the next node. */
  const balancer = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    if (isLost(method)) return void incoming.destroy();
    const node = here.cluster.nodes[turn++ % 2]?.url ?? "";
    const through = request(node + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    through.on("error", () => outgoing.destroy());
    incoming.pipe(through);
  });
  let url = "";
  let token = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    await ask(url, "/_sandbox/teams", { body: { id: "acme", quotas: { worlds: 2 } } });
    token = await tokenOf("developer");
  });
  afterAll(() => balancer.close());

  const tokenOf = async (role: string): Promise<string> =>
    (await ask(url, "/_sandbox/teams/acme/tokens", { body: { role, subject: role } })).body.token;
  const room = async (most: number) =>
    expect((await ask(url, "/_sandbox/teams/acme/quotas", { method: "PUT", body: { worlds: most } })).status).toBe(200);
  const judged = (words: readonly string[], program: string, view = token): Promise<Run> =>
    startSandboxCommand(
      ["check", "--url", url, "--fixture", "harbour-tours", ...words, "--", process.execPath, program],
      { SANDBOX_CONTROL_TOKEN: view },
    ).ended;
  const worlds = async (): Promise<string[]> =>
    (await ask(url, "/_sandbox/worlds", { token })).body.items.map(({ id }: { id: string }) => id);

  it("judges with several jobs if the team can have one more world, and leaves none", async () => {
    const { code, stdout, stderr } = await judged(["--only", "RETRY-01,RETRY-03", "--jobs", "3", "--json"], blind);
    const { results } = JSON.parse(stdout);
    expect(results, stdout + stderr).toMatchObject([
      { id: "RETRY-01", outcome: "fail" },
      { id: "RETRY-03", outcome: "pass" },
    ]);
    expect(results[0].again).toContain(`--url ${url} --fixture harbour-tours`);
    expect(code).toBe(1);
    expect(await worlds()).toEqual(["acme"]);
  });

  it("survives lost connections, but sends nothing twice that may have been processed", async () => {
    let turns = 0;
    isLost = (method) => method !== "POST" && ++turns % 3 === 0;
    const { code, stderr } = await judged(["--only", "AUTH-04,RETRY-01"], careful);
    expect([code, turns > 3], stderr).toEqual([0, true]);
    let posts = 0;
    isLost = (method) => method === "POST" && ++posts > 0;
    const ended = await judged(["--only", "AUTH-04"], careful);
    const lost = `The connection to ${url} was lost before the response was complete (`;
    // No word about the program, so it is no verdict.
    expect([ended.stderr, ended.code]).toEqual([expect.stringContaining(lost), 3]);
    isLost = () => false;
    expect(posts).toBe(1);
  });

  it("delivers messages to a receiver on the machine of the command, whose addresses no webhook of a team reaches", async () => {
    await room(9);
    const [good, bad] = await Promise.all(
      [careful, deaf].map(async (program) => {
        const { stdout, stderr } = await judged(["--only", "HOOK-01,HOOK-02", "--json"], program);
        return { results: JSON.parse(stdout || "{}").results, stderr };
      }),
    );
    expect(good?.results, good?.stderr).toMatchObject([
      { id: "HOOK-01", outcome: "pass" },
      { id: "HOOK-02", outcome: "undecided" },
    ]);
    expect(bad?.results[0], bad?.stderr).toMatchObject({ id: "HOOK-01", outcome: "warn" });
    const { body } = await ask(url, "/_sandbox/audit", { token: await tokenOf("owner") });
    // The relay reports many answers, none of which is worth a line.
    expect(body.items.map(({ action }: { action: string }) => action)).not.toContain("reportRelayed");
  });
});

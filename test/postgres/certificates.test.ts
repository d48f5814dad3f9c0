// A shared sandbox as a witness: two nodes judge anew what a client shows them, sign nothing for one that lies, and say of each certificate
// what became of it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/hosted/postgres/connection.ts";
import { runHere } from "../cli/in-process.ts";
import { careful } from "../verdict/matrix.ts";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";
import { type Asked, OPERATOR, openShared, type Shared } from "./teams-kit.ts";

const KEY = "a passphrase that is long enough";
const PROFILES = `seller:
  for: Sells a seat.
  operations: [createBooking]
  pass: [AUTH-01, AUTH-03, AUTH-04, RETRY-01]
glance:
  for: Looks.
  operations: []
  pass: [AUTH-04]
receiver:
  for: Takes messages.
  operations: []
  pass: [HOOK-06]
`;

type Roles = Record<"owner" | "developer" | "viewer", string>;
// biome-ignore lint/suspicious/noExplicitAny: a body as the command sends it, to be made wrong
type Body = any;

describe.skipIf(!postgresBin)("A shared sandbox that witnesses", () => {
  const folder = mkdtempSync(join(tmpdir(), "witness-"));
  const profiles = join(folder, "profiles.yaml");
  let postgres: Postgres;
  let database: string;
  let nodes: Shared[] = [];
  let [a, b] = [{} as Roles, {} as Roles];
  /** While a certificate is asked for, and its worlds are there. */
  let before: ((body: Body) => Promise<void>) | undefined;
  let turn = 0;
  /** Each request goes to the next node. A process that is held up must not find its own connections too old. */
  const balancer = createServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const bytes = Buffer.concat(await incoming.toArray());
    if (method === "POST" && url === "/_sandbox/certificates") await before?.(JSON.parse(bytes.toString()));
    const through = request(nodes[turn++ % 2]?.url + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    through.on("error", () => outgoing.destroy());
    through.end(bytes);
  });
  let url = "";
  beforeAll(async () => {
    writeFileSync(profiles, PROFILES);
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    postgres = await startPostgres();
    database = await postgres.newDatabase();
    const settings = { certificateKey: KEY, publicUrl: url };
    nodes = [await openShared(database, settings), await openShared(database, settings)];
    [a, b] = [await one().team("acme"), await one().team("rival")];
  });
  afterAll(async () => {
    balancer.close();
    balancer.closeAllConnections();
    for (const { sandbox } of nodes) await sandbox.close();
    await postgres?.close();
    rmSync(folder, { recursive: true });
  });

  const one = (): Shared => nodes[0] as Shared;
  const other = (): Shared => nodes[1] as Shared;
  const posted = (token: string, body: unknown) => one().ask(token, "POST", "certificates", body);
  const message = ({ status, body }: Asked): unknown[] => [status, body.code, body.message];
  const certify = (name: string, more: readonly string[] = []) => {
    const file = join(folder, `${name}.json`);
    const words = ["--profiles", profiles, "--profile", name, "--fixture", "harbour-tours", "--output", file, ...more];
    const view = { SANDBOX_CONTROL_TOKEN: a.developer, PATH: process.env.PATH ?? "" };
    return runHere(["certify", "--url", url, ...words, "--", process.execPath, careful], view).then((ran) => ({
      ...ran,
      file,
    }));
  };
  const verify = (file: string, ...more: string[]) => runHere(["certificate", "verify", file, ...more]);
  const jwks = () => `${url}/.well-known/jwks.json`;
  const sql = async <R extends object>(text: string) => {
    const db = await connect(database);
    try {
      return (await db.query<R>(text)).rows;
    } finally {
      await db.close();
    }
  };
  const idIn = (stderr: string): string => /certificates\/(crt_[\w-]{22})\./.exec(stderr)?.[1] ?? "";
  let id = "";
  let file = "";

  it("signs nothing for a client that lies, and signs what it has seen itself", async () => {
    const lies: Record<string, unknown[]> = {};
    before = async (body) => {
      const runs = body.runs as Body[];
      const with_ = (more: object) => ({ ...body, ...more });
      const changed = (name: string, more: object) =>
        with_({ runs: runs.map((run) => (run.name === name ? { ...run, ...more } : run)) });
      await one().ask(b.developer, "POST", "worlds", { id: "rivals", fixture: "harbour-tours" });
      await one().ask(a.developer, "POST", "worlds", {
        id: "reset",
        fixture: "harbour-tours",
        clock: "anchor",
        seed: 7,
      });
      await one().ask(a.developer, "POST", "state/reset?world=reset");
      const [first] = runs;
      const lie = async (what: string, token: string, wrong: unknown) =>
        (lies[what] = message(await posted(token, wrong)));
      await lie("results of its own", a.developer, with_({ results: [] }));
      await lie("as a viewer", a.viewer, body);
      await lie("as another team", b.developer, body);
      await lie("worlds of another team", a.developer, changed("RETRY-01", { world: "rivals" }));
      await lie("worlds of two teams", OPERATOR, changed("RETRY-01", { world: "rivals" }));
      await lie("a world that is gone", a.developer, changed("RETRY-01", { world: "never-was" }));
      await lie("a run left out", a.developer, with_({ runs: runs.filter(({ name }) => name !== "RETRY-01") }));
      await lie("no control run", a.developer, with_({ runs: runs.filter(({ name }) => name !== "control") }));
      await lie(
        "a run without its fault",
        a.developer,
        with_({
          runs: [
            ...runs.filter(({ name }) => name !== "RETRY-01"),
            { ...first, name: "RETRY-01", world: runs.find(({ name }) => name === "AUTH-01").world },
          ].filter(({ name }) => name !== "AUTH-01"),
        }),
      );
      await lie("a world twice", a.developer, with_({ runs: [...runs, { ...first, name: "RETRY-02" }] }));
      await lie("a world with another past", a.developer, changed("RETRY-01", { world: "reset" }));
      await lie("a red program", a.developer, changed("control", { ended: { code: 1, stopped: null, output: "" } }));
      await lie("a profile by a known name", a.developer, with_({ profile: "reader" }));
      await lie("a check that is none", a.developer, with_({ own: { ...body.own, pass: ["AUTH-99"] } }));
      await lie(
        "a check that was not run",
        a.developer,
        with_({ own: { ...body.own, pass: ["AUTH-04", "RETRY-03"] } }),
      );
    };
    const {
      code,
      stdout,
      stderr,
      file: signed,
    } = await certify("seller", ["--subject", "shop@1.2.0"]).finally(() => (before = undefined));
    file = signed;
    expect(Object.keys(lies).length, stdout + stderr).toBeGreaterThan(0);
    const reported = (words: RegExp) => [409, "NOT_WITNESSED", expect.stringMatching(words)];
    expect(lies).toEqual({
      "results of its own": [400, "BAD_REQUEST", expect.stringContaining("results")],
      "as a viewer": [403, "ROLE_TOO_LOW", expect.stringContaining("developer")],
      "as another team": [404, "NOT_FOUND", expect.stringMatching(/^There is no world verdict-until-/)],
      "worlds of another team": [404, "NOT_FOUND", expect.stringMatching(/^There is no world rivals\./)],
      "worlds of two teams": [400, "BAD_REQUEST", expect.stringMatching(/^World rivals is of another team than /)],
      "a world that is gone": [404, "NOT_FOUND", expect.stringMatching(/^There is no world never-was\./)],
      "a run left out": reported(
        /^None of the worlds that were named is that of a run for RETRY-01, with its fault armed\./,
      ),
      "no control run": reported(/^None of the runs is one without a drill/),
      "a run without its fault": reported(/^None of the worlds that were named is that of a run for /),
      "a world twice": reported(/^World \S+ is named twice\./),
      "a world with another past": reported(/^The log of world reset does not begin with it \(reset at /),
      "a red program": reported(
        /^Nothing is signed, since there is no verdict\. The program fails by itself, with exit code 1/,
      ),
      "a profile by a known name": reported(/^A profile reader comes with the sandbox\./),
      "a check that is none": reported(/^The profile seller names the check AUTH-99/),
      "a check that was not run": reported(
        /^None of the worlds that were named is that of a run for RETRY-03, with its fault armed/,
      ),
    });
    expect([code, stderr.split("\n").at(-2)], stdout + stderr).toEqual([
      0,
      expect.stringMatching(/^It is in \S+, and at \S+\.$/),
    ]);
    id = idIn(stderr);
    expect(stdout).toContain(`Witnessed by ${url}, in worlds of the team acme, which judged by its own log.`);
    expect(stdout).toContain(
      "Not seen by it: that it was this program, of this version and commit, that made the calls; how each run ended; what receivers answered to messages that a relay handed on.",
    );
    const { items } = (await one().ask(a.viewer, "GET", "worlds")).body;
    expect(items.map((each: { id: string }) => each.id).sort()).toEqual(["acme", "reset"]);
  });

  it("is verified by its keys, with no letter changed and of no other commit", async () => {
    const { stdout, stderr, code } = await verify(file, "--jwks", jwks());
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout).toMatch(
      /^It holds: signed by the key [\w-]+, which is trusted\.\nIts issuer has not revoked it\.$/m,
    );
    expect(stdout).toContain(`Witnessed by ${url}, in worlds of the team acme`);
    const untrusted = (await verify(file)).stdout;
    expect(untrusted).not.toContain("Witnessed by");
    expect(untrusted).toContain(`Whether it was revoked was not asked: --jwks ${jwks()} asks`);
    const jws = JSON.parse(readFileSync(file, "utf8"));
    const edited = join(folder, "edited.json");
    const payload = Buffer.from(jws.payload, "base64url").toString().replace('"shop"', '"ship"');
    writeFileSync(edited, JSON.stringify({ ...jws, payload: Buffer.from(payload).toString("base64url") }));
    expect(await verify(edited, "--jwks", jwks())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^It was changed/),
    });
    expect(await verify(file, "--jwks", jwks(), "--commit", "1234567")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^It is of another commit/m),
    });
    const { keys } = (await other().ask(undefined, "GET", "/.well-known/jwks.json")).body;
    expect(keys).toEqual([
      { kty: "OKP", crv: "Ed25519", x: expect.any(String), kid: expect.any(String), use: "sig", alg: "EdDSA" },
    ]);
    const strange = join(folder, "keys.json");
    writeFileSync(strange, JSON.stringify({ keys: [{ ...keys[0], x: "A".repeat(43) }] }));
    expect(await verify(file, "--jwks", strange)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Another issuer signed it/),
    });
  });

  it("shows it to whoever has the address, on every node", async () => {
    for (const { ask } of nodes) {
      const page = await ask(undefined, "GET", `/certificates/${id}`);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.body).toContain("<strong>Valid</strong> until ");
      expect(page.body).toContain("<li>how each run ended</li>");
      expect(page.body).toContain("It is the team&#39;s own, and does not come with the sandbox.");
      expect(page.body).toContain("prefers-color-scheme: dark");
      expect(page.body).not.toContain("<script");
      const policy = page.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'self'");
      expect(policy).not.toContain("unsafe");
      const badge = await ask(undefined, "GET", `/certificates/${id}/badge.svg`);
      expect(badge.body).toMatch(/<title>sandbox certificate: 5 of 5 · seller · until \d{4}-\d\d<\/title>/);
      const view = (await ask(undefined, "GET", `/certificates/${id}.json`)).body;
      expect(view).toMatchObject({
        id,
        url: `${url}/certificates/${id}`,
        status: "valid",
        revoked: null,
        jws: JSON.parse(readFileSync(file, "utf8")),
      });
      for (const path of [
        "crt_aaaaaaaaaaaaaaaaaaaaaa",
        "crt_aaaaaaaaaaaaaaaaaaaaaa.json",
        "crt_aaaaaaaaaaaaaaaaaaaaaa/badge.svg",
        id.slice(0, -1),
      ])
        expect((await ask(undefined, "GET", `/certificates/${path}`)).status).toBe(404);
    }
  });

  it("lets each role do what is its own, and writes it down", async () => {
    const list = async (token: string) => (await one().ask(token, "GET", "certificates")).body.items;
    expect(await list(a.viewer)).toEqual([
      {
        id,
        name: "shop",
        version: "1.2.0",
        commit: expect.any(String),
        profile: "seller",
        score: "5 of 5",
        status: "valid",
        expires: expect.any(String),
        team: "acme",
        url: `${url}/certificates/${id}`,
      },
    ]);
    expect(await list(b.owner)).toEqual([]);
    expect(await list(OPERATOR)).toHaveLength(1);
    const requested = (token: string, method: string, path: string, body?: object) =>
      other()
        .ask(token, method, path, body)
        .then(({ status }) => status);
    const revoke = `certificates/${id}/revoke`;
    const reason = { reason: "The <b>version</b> was withdrawn." };
    expect([
      await requested(a.viewer, "GET", `certificates/${id}`),
      await requested(b.owner, "GET", `certificates/${id}`),
      await requested(b.owner, "POST", revoke, reason),
      await requested(a.developer, "POST", revoke, reason),
      await requested(a.owner, "POST", revoke, { reason: " " }),
      await requested(a.owner, "POST", "certificate-keys/rotate"),
    ]).toEqual([200, 404, 404, 403, 400, 403]);
    expect((await verify(file, "--jwks", jwks())).code).toBe(0);
    const ran = await runHere([
      "certificates",
      "revoke",
      id,
      "--reason",
      reason.reason,
      "--url",
      url,
      "--control-token",
      a.owner,
    ]);
    expect([ran.stdout, ran.code], ran.stderr).toEqual([`Revoked the certificate ${id}.\n`, 0]);
    expect(await requested(OPERATOR, "POST", revoke, { reason: "Something else." })).toBe(200);
    const { items } = (await one().ask(a.owner, "GET", "audit?action=revokeCertificate")).body;
    const noted = items.map(({ subject, status, detail }: Body) => [subject, status, detail.certificateId]);
    expect(noted).toContainEqual(["owner-of-acme", 200, id]);
    expect(noted).toContainEqual(["developer-of-acme", 403, id]);
  });

  it("says of a revoked one that it is, with the first reason", async () => {
    const page = (await one().ask(undefined, "GET", `/certificates/${id}`)).body;
    expect(page).toMatch(
      /<strong>Revoked<\/strong> on \d{4}-\d\d-\d\d: The &#60;b&#62;version&#60;\/b&#62; was withdrawn\./,
    );
    expect((await one().ask(undefined, "GET", `/certificates/${id}/badge.svg`)).body).toContain("revoked · seller");
    const { stderr, code } = await verify(file, "--jwks", jwks());
    expect([stderr, code]).toEqual([
      expect.stringMatching(/^It was revoked on \d{4}-\d\d-\d\d: The <b>version<\/b> was withdrawn\.\n$/),
      1,
    ]);
    const listed = await runHere(["certificates", "list", "--url", url, "--control-token", a.viewer]);
    expect(listed.stdout).toMatch(/revoked/);
    const view = await runHere(["certificates", "show", id, "--url", url, "--control-token", a.viewer]);
    expect(view.stdout).toContain("Revoked on ");
  });

  it("signs that a receiver on this machine takes messages with the next secret", async () => {
    const { code, stderr, stdout } = await certify("receiver", ["--webhook-url", "http://127.0.0.1:{port}/hooks"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("1 of 1 · receiver");
    expect(stdout).toContain("what receivers answered to messages that a relay handed on");
  });

  it("signs with a new key after a rotation, and keeps the old one for what it signed", async () => {
    const rotated = await runHere(["certificates", "rotate-key", "--url", url, "--control-token", OPERATOR]);
    expect([rotated.stderr, rotated.code]).toEqual([expect.stringMatching(/^Target: the sandbox at http/), 0]);
    const kid = /key ([\w-]+)\./.exec(rotated.stdout)?.[1];
    const kids = (await other().ask(undefined, "GET", "/.well-known/jwks.json")).body.keys.map((key: Body) => key.kid);
    expect([kids[0], kids.length]).toEqual([kid, 2]);
    const next = await certify("glance", ["--subject", '<img src=x onerror="1">@2']);
    expect(next.code, next.stderr).toBe(0);
    expect((await verify(next.file, "--jwks", jwks())).stdout).toContain(`signed by the key ${kid}, which is trusted`);
    expect((await verify(file, "--jwks", jwks())).stderr).toMatch(/^It was revoked on [^\n]*\n$/);
    expect((await one().ask(undefined, "GET", `/certificates/${idIn(next.stderr)}`)).body).toContain(
      "&#60;img src=x onerror=&#34;1&#34;&#62; 2",
    );
    const rows = await sql<{ sealed: string | null }>(
      "select sealed from certificate_keys order by retired_at nulls first",
    );
    expect(rows.map(({ sealed }) => sealed?.split(".").length ?? null)).toEqual([5, null]);
    expect(JSON.stringify(rows)).not.toContain('"d"');
    await sql("update certificates set expires_at = now() - interval '1 day' where revoked_at is null");
    const gone = idIn(next.stderr);
    expect((await one().ask(undefined, "GET", `/certificates/${gone}`)).body).toContain("<strong>Expired</strong> on ");
    expect((await one().ask(undefined, "GET", `/certificates/${gone}/badge.svg`)).body).toMatch(
      /expired \d{4}-\d\d · glance/,
    );
  });

  it("says how a key is set where there is none, and where it is another one", async () => {
    await one().ask(a.developer, "POST", "worlds", { id: "some", fixture: "empty" });
    await one().ask(a.developer, "POST", "worlds", { id: "more", fixture: "empty" });
    const run = {
      name: "control",
      drill: null,
      ended: { code: 0, stopped: null, output: "" },
      probe: null,
      probe_failed: null,
      took_ms: 1,
    };
    const body = {
      ...{
        subject: { name: "x", version: null, commit: null, clean: null },
        command: ["x"],
        profile: "reader",
        seed: "7",
      },
      runs: [
        { ...run, world: "some" },
        { ...run, world: "more" },
      ],
    };
    for (const [settings, words] of [
      [{}, /--certificate-key, a passphrase of at least 16 characters/],
      [{ certificateKey: "another one that is long" }, /was encrypted by another --certificate-key/],
    ] as const) {
      const node = await openShared(database, settings);
      const { warnings } = node.sandbox.running;
      expect(warnings.filter((each) => each.includes("--certificate-key"))).toEqual(
        "certificateKey" in settings ? [expect.stringMatching(words)] : [],
      );
      expect(message(await node.ask(a.developer, "POST", "certificates", body))).toEqual([
        409,
        "NO_CERTIFICATE_KEY",
        expect.stringMatching(words),
      ]);
      await node.sandbox.close();
    }
    expect(message(await posted(a.developer, body))).toEqual([
      409,
      "NOT_WITNESSED",
      expect.stringMatching(/^World some has the seed 7\/some, and not 7\.$/),
    ]);
  });
});

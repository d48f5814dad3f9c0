// `sandbox login`: the token is checked before it is stored, only its user can read it, and it is sent only to its address.
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getLoginsFile } from "../../src/cli/logins.ts";
import { askSecret } from "../../src/cli/terminal/secret-prompt.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";
import { shell } from "./run-sandbox.ts";

const TOKEN = `sbx_${"a".repeat(43)}`;
const ANNA = {
  role: "developer",
  team: "acme",
  subject: "anna",
  token: "3f9c1a7be2d0",
  expires_at: null,
  default_world: "acme",
};

let server: LocalServer;
let url: string;
/** What was sent as Authorization. */
const sent: (string | undefined)[] = [];
beforeAll(async () => {
  server = await startLocalServer((request, response) => {
    sent.push(request.headers.authorization);
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    const refusal = { code: "UNAUTHORIZED", message: "The token is unknown." };
    const answer = request.url?.startsWith("/_sandbox/worlds") ? { items: [] } : ANNA;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json", "sandbox-request-id": "req-1" });
    response.end(JSON.stringify(isKnown ? answer : refusal));
  });
  url = server.url;
});
afterAll(() => server.close());

let home: string;
let environment: Record<string, string>;
const file = () => join(home, "experience-sandbox", "logins.json");
beforeEach(() => {
  home = makeTempFolder();
  environment = { XDG_CONFIG_HOME: home, SANDBOX_CONTROL_TOKEN: TOKEN };
  sent.length = 0;
});
const signedIn = async () => {
  expect(await runHere(["login", url], environment)).toMatchObject({ code: 0 });
  delete environment.SANDBOX_CONTROL_TOKEN;
};

describe("sandbox login", () => {
  it("stores an accepted token that only its user can read", async () => {
    const { code, stdout, stderr } = await runHere(["login", `${url}/_sandbox/`], environment);
    expect([code, stdout]).toEqual([
      0,
      `Signed in to ${url} as anna, developer in the team acme. Commands now use this sandbox.\n`,
    ]);
    expect(stderr).toContain(file());
    if (process.platform !== "win32") {
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, "experience-sandbox")).mode & 0o777).toBe(0o700);
    }
  });

  it("stores no rejected token, and accepts no token on the command line", async () => {
    const refused = await runHere(["login", url], { ...environment, SANDBOX_CONTROL_TOKEN: "sbx_wrong" });
    expect([refused.code, refused.stderr]).toEqual([1, "The token is unknown.\n"]);
    const view = await runHere(["login", url, "--token", TOKEN], environment);
    expect([view.code, view.stderr]).toEqual([2, expect.stringContaining("Other programs can read the command line")]);
    const nowhere = await runHere(["login", url], { SANDBOX_CONTROL_TOKEN: TOKEN });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("XDG_CONFIG_HOME")]);
    expect((await runHere(["login", "acme"], environment)).code).toBe(2);
    const typed = await runHere(["login", url], { XDG_CONFIG_HOME: home });
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining("--token -")]);
    expect(() => statSync(file())).toThrow(/ENOENT/);
  });

  it("reads the token from stdin", async () => {
    const { code, stdout } = await shell(`echo ${TOKEN} | sandbox login ${url} --token - --json`, {
      XDG_CONFIG_HOME: home,
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, { url, ...ANNA }]);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ in_use: url, logins: [{ url, token: TOKEN }] });
  });

  it("lets commands find the sandbox, and sends the token to no other address", async () => {
    await signedIn();
    const { code, stderr } = await runHere(["world", "list"], environment);
    expect([code, stderr]).toEqual([0, `Using the sandbox at ${url}, from \`sandbox login\`.\n`]);
    expect(sent.at(-1)).toBe(`Bearer ${TOKEN}`);
    expect((await runHere(["login", "--url", url], environment)).stdout).toContain("anna, developer in the team acme");
    await runHere(["login", "--url", url.replace("127.0.0.1", "localhost")], environment);
    expect(sent.at(-1)).toBeUndefined();
    await runHere(["login", "--url", url, "--control-token", "sbx_other"], environment);
    expect(sent.at(-1)).toBe("Bearer sbx_other");
  });

  it("stores several addresses with one active, and removes them", async () => {
    await signedIn();
    const logins = JSON.parse(readFileSync(file(), "utf8"));
    const other = { ...logins.logins[0], url: "http://other.example" };
    writeFileSync(file(), JSON.stringify({ in_use: other.url, logins: [...logins.logins, other] }));
    expect((await runHere(["login", url], environment)).code).toBe(0);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ in_use: url, logins: [other, { url }] });
    expect((await runHere(["logout"], environment)).stdout).toBe(`Forgot the token of ${url}.\n`);
    const none = await runHere(["logout"], environment);
    expect([none.code, none.stderr]).toEqual([1, "No sandbox is in use. Signed in to: http://other.example.\n"]);
    expect((await runHere(["logout", other.url, "--json"], environment)).stdout).toBe(
      `{"url":"${other.url}","removed":true}\n`,
    );
  });

  it("reports a rejected stored token, and prompts for another", async () => {
    await signedIn();
    writeFileSync(file(), readFileSync(file(), "utf8").replace(TOKEN, "sbx_old"));
    const { code, stderr } = await runHere(["login", url], environment);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^The stored token was rejected: The token is unknown\.\nThere is no terminal/),
    ]);
  });

  it("reports errors in its file", async () => {
    await signedIn();
    writeFileSync(file(), "{");
    const { code, stderr } = await runHere(["login"], environment);
    expect([code, stderr]).toEqual([
      1,
      `${file()} is not what \`sandbox login\` writes. Delete it, and sign in again.\n`,
    ]);
    if (process.getuid?.() === 0 || process.platform === "win32") return;
    chmodSync(file(), 0);
    expect((await runHere(["login"], environment)).stderr).toContain("can't be read");
  });

  it("stores its file in the standard place of the system", () => {
    expect(getLoginsFile({ HOME: "/home/anna" }, "linux")).toBe("/home/anna/.config/experience-sandbox/logins.json");
    expect(getLoginsFile({ HOME: "/home/anna", XDG_CONFIG_HOME: "/x" }, "linux")).toBe(
      "/x/experience-sandbox/logins.json",
    );
    expect(getLoginsFile({ APPDATA: "/roaming" }, "win32")).toBe(join("/roaming", "experience-sandbox", "logins.json"));
    expect(getLoginsFile({}, "linux")).toBeUndefined();
  });
});

describe("The token prompt", () => {
  const typing = async (...keys: string[]) => {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => modes.push(mode) });
    let view = "";
    const answer = askSecret("Token: ", (text) => (view += text), input);
    for (const key of keys) input.write(key);
    return { answer: await answer, shown: view, modes };
  };

  it("hides the input, and allows corrections and cancelling", async () => {
    expect(await typing("sbx_", "ab\u007fc", "\r")).toEqual({
      answer: "sbx_ac",
      shown: "Token: \n",
      modes: [true, false],
    });
    expect((await typing("wrong\u0015right\n")).answer).toBe("right");
    expect((await typing("sbx_a", "\u0003")).answer).toBeUndefined();
  });
});

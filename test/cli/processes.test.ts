// The command line in its own process: processes, signals, pipes and shells.
import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startLocalServer } from "../local-server.ts";
import { runHere } from "./in-process.ts";
import { bin, folder, run, type Started, shell, startSandboxCommand } from "./run-sandbox.ts";

const FREE = ["--port", "0", "--memory", "--clock", "2030-06-01T09:00:00Z"];
let server: Started;
let url: string;
let at: { SANDBOX_URL: string };

beforeAll(async () => {
  server = startSandboxCommand(["start", ...FREE, "--json"]);
  url = (JSON.parse(await server.shows("\n")) as { url: string }).url;
  at = { SANDBOX_URL: url };
}, 240_000);

afterAll(async () => {
  expect((await server.stop()).code).toBe(0);
});

describe("Streams", () => {
  it.concurrent("logs --follow prints each request as it arrives, and exits on SIGINT", async () => {
    const logs = startSandboxCommand(["logs", "--follow", "--json", "--filter-status", "404"], at);
    const requested = setInterval(() => void fetch(`${url}/v1/nothing-here`), 100);
    const text = await logs.shows("/v1/nothing-here").finally(() => clearInterval(requested));
    expect(JSON.parse(text.split("\n")[0] ?? "")).toMatchObject({ path: "/v1/nothing-here", status: 404 });
    expect((await logs.stop("SIGINT")).code).toBe(0);
  });

  it.concurrent("listen verifies, forwards, and removes its subscription", async () => {
    const received: string[] = [];
    const target = await startLocalServer((request, response) => {
      received.push(String(request.headers["webhook-signature"]));
      response.writeHead(202).end();
    });
    const forwardTo = `${new URL(target.url).host}/hook`;
    const listen = startSandboxCommand(
      ["listen", "--json", "--print-secret", "--events", "v1.event.created", "--forward-to", forwardTo],
      at,
    );
    await listen.shows("Listening to");
    await runHere(["trigger", "v1.event.created"], at);
    await listen.shows('"kind":"v1.event.created"');
    const { code, stdout } = await listen.stop();
    target.close();
    const [secret, delivery] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(secret?.webhook_secret).toMatch(/^whsec_/);
    expect(delivery).toMatchObject({ verified: true, forwarded: { url: `http://${forwardTo}`, status: 202 } });
    expect(received).toHaveLength(1);
    expect((await runHere(["world", "export"], at)).stdout).not.toContain("sandbox listen");
  });

  it.concurrent("listen continues after a reset of the world, and stops on request even if the sandbox hangs", async () => {
    const own = startSandboxCommand(["start", ...FREE, "--json"]);
    const there = { SANDBOX_URL: (JSON.parse(await own.shows("\n")) as { url: string }).url };
    const listen = startSandboxCommand(["listen", "--json", "--events", "v1.event.created", "--since", "P1D"], there);
    await listen.shows("Listening to");
    await runHere(["world", "reset"], there);
    await runHere(["trigger", "v1.event.created"], there);
    await listen.shows('"kind":"v1.event.created"');
    own.child.kill("SIGSTOP");
    const { code, stdout, stderr } = await listen.stop("SIGINT");
    own.child.kill("SIGKILL");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "v1.event.created", verified: true });
    expect(stderr).toContain("does not respond. It still has the subscription");
    expect(stderr).not.toContain("Subscribed again");
  });

  it.concurrent("a start on a used port leaves the data file unchanged, with --fresh too", async () => {
    const [data, other] = ["at-the-port", "free-of-it"].map((name) => join(folder, name, "world.json")) as [
      string,
      string,
    ];
    const begin = (...words: string[]) => startSandboxCommand(["start", "--json", "--port", "0", ...words]);
    const first = begin("--data", data, "--control-token", "t");
    const { url } = JSON.parse(await first.shows("\n"));
    const there = { SANDBOX_URL: url, SANDBOX_CONTROL_TOKEN: "t" };
    expect((await runHere(["act", "cancelEvent", "--set", "event_id=evt-evening"], there)).code).toBe(0);
    await first.stop();
    const busy = begin("--memory");
    const { port } = new URL(JSON.parse(await busy.shows("\n")).url);
    const before = readFileSync(data, "utf8");
    for (const file of [data, other]) {
      const refused = await startSandboxCommand(["start", "--port", port, "--fresh", "--data", file]).ended;
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
      ]);
    }
    expect([readFileSync(data, "utf8"), existsSync(other)]).toEqual([before, false]);
    await busy.stop();
  });

  it.concurrent("listen and logs --follow continue after the sandbox is killed and restarted", async () => {
    const data = join(folder, "killed", "world.json");
    const words = ["start", "--json", "--data", data, "--clock", "2030-06-01T09:00:00Z", "--control-token", "t"];
    const begin = async (port: string, ...more: string[]) => {
      const started = startSandboxCommand([...words, "--port", port, ...more]);
      return { started, url: (JSON.parse(await started.shows("\n")) as { url: string }).url };
    };
    const first = await begin("0");
    const there = { SANDBOX_URL: first.url, SANDBOX_CONTROL_TOKEN: "t" };
    const { port } = new URL(first.url);
    const listen = startSandboxCommand(["listen", "--json", "--events", "v1.event.created", "--since", "P1D"], there);
    const logs = startSandboxCommand(["logs", "--follow", "--json", "--kinds", "request"], there);
    await listen.shows("Listening to");
    await fetch(`${first.url}/v1/before`);
    await logs.shows("/v1/before");
    const states = async () => {
      const { items } = JSON.parse((await runHere(["logs", "--messages", "--json"], there)).stdout);
      return new Set(
        items.flatMap((message: { deliveries: { state: string }[] }) => message.deliveries.map(({ state }) => state)),
      );
    };
    const triggered = async () => {
      const { result } = JSON.parse((await runHere(["trigger", "v1.event.created", "--json"], there)).stdout);
      await listen.shows(result.id);
      // A sandbox that is killed before it has taken note of a delivery repeats it.
      await vi.waitFor(async () => expect(await states()).toEqual(new Set(["DELIVERED"])), 30_000);
      return result.id as string;
    };
    const ids = [await triggered()];
    first.started.child.kill("SIGKILL");
    await listen.shows("has stopped");
    const second = await begin(port);
    await Promise.all([listen.shows("The sandbox is back."), logs.shows("The sandbox is back.")]);
    ids.push(await triggered());
    second.started.child.kill("SIGKILL");
    await listen.shows(/has stopped[\s\S]*has stopped/);
    // The new world has a message already, which is not sent: --since is about the first world.
    const elsewhere = await begin("0", "--fresh");
    await runHere(["trigger", "v1.event.created"], { ...there, SANDBOX_URL: elsewhere.url });
    await elsewhere.started.stop();
    const third = await begin(port);
    await listen.shows("The sandbox has a new world. Subscribed again");
    await logs.shows(/is back[\s\S]*is back/);
    ids.push(await triggered());
    await fetch(`${first.url}/v1/after`);
    await logs.shows("/v1/after");
    listen.child.kill("SIGHUP");
    logs.child.kill("SIGHUP");
    const [heard, logged] = await Promise.all([listen.ended, logs.ended]);
    expect([heard.code, logged.code]).toEqual([0, 0]);
    const lines = heard.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ body }) => body.payload.event_id)).toEqual(ids);
    expect(lines.every(({ verified }) => verified)).toBe(true);
    const paths = logged.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).path);
    expect(paths).toEqual(["/v1/before", "/v1/after"]);
    expect((await runHere(["world", "export"], there)).stdout).not.toContain("sandbox listen");
    expect((await third.started.stop()).code).toBe(0);
  });

  it.concurrent("listen exits with 1 if the sandbox stays unreachable", async () => {
    const away = startSandboxCommand(["start", "--json", ...FREE]);
    const { url: gone } = JSON.parse(await away.shows("\n")) as { url: string };
    const listen = startSandboxCommand(["listen", "--reconnect", "1"], { SANDBOX_URL: gone });
    await listen.shows("Listening to");
    away.child.kill("SIGTERM");
    const { code, stderr } = await listen.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /has stopped\. Waiting up to 1 s .*\nThe sandbox did not start again within 1 s\. No sandbox responds at .*\n$/,
    );
  });

  it.concurrent("a reader that disconnects is no error", async () => {
    const { code, stderr } = await shell("sandbox act --list --json | head -c 1; sandbox world export | true", at);
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|Error/);
  });

  it.skipIf(!existsSync("/dev/full")).concurrent(
    "a full disk behind the output is an error in one sentence",
    async () => {
      const full = async (line: string) => {
        const { code, stderr } = await shell(line, at);
        return [code, stderr];
      };
      const sentence = expect.stringMatching(/^The output can't be written: ENOSPC: .*\.\n$/);
      expect(await full("sandbox clock > /dev/full")).toEqual([1, sentence]);
      expect(await full(`sandbox start ${FREE.join(" ")} --json > /dev/full`)).toEqual([1, sentence]);
      writeFileSync(join(folder, "short.yaml"), "title: Short\nsteps:\n  - { name: none, fault: [] }\n");
      expect(await full(`sandbox play "${join(folder, "short.yaml")}" --output /dev/full`)).toEqual([
        1,
        expect.stringMatching(/^\/dev\/full can't be written: ENOSPC: .* Name another file\.\n$/),
      ]);
    },
  );
});

describe("start", () => {
  it.concurrent("prints one line of JSON when it is ready", async () => {
    const { SANDBOX_CLIENT_ID } = JSON.parse((await runHere(["env", "--json"], at)).stdout) as Record<string, string>;
    const lines = (await server.shows("\n")).trim().split("\n");
    expect(lines).toHaveLength(1);
    const announced = JSON.parse(lines[0] ?? "") as object;
    const members =
      "url auth_url token_url client_id client_secret control_url control_token webhook_secret world fixture now pid";
    expect(Object.keys(announced)).toEqual(members.split(" "));
    expect(announced).toMatchObject({
      auth_url: url,
      token_url: `${url}/oauth2/token`,
      client_id: SANDBOX_CLIENT_ID,
      webhook_secret: null,
    });
    expect(announced).toMatchObject({
      world: "default",
      fixture: "harbour-tours",
      now: "2030-06-01T09:00:00.000Z",
      pid: server.child.pid,
    });
  });

  it.concurrent("prints a line to paste that works, and restores its state", async () => {
    const words = ["start", "--port", "0", "--data", "deep/kept.json", "--webhook-url", "http://127.0.0.1:9/"];
    const first = startSandboxCommand(words);
    const text = await first.shows("Ctrl-C stops");
    expect(text).toMatch(/State +deep\/kept.json \(new\)/);
    expect(text).toMatch(/Signing secret +whsec_/);
    const pasted = await shell(/^curl [\s\S]*?(?=\n\n)/m.exec(text)?.[0] ?? "exit 9");
    expect((JSON.parse(pasted.stdout) as { items: object[] }).items).toHaveLength(1);
    expect((await first.stop("SIGINT")).code).toBe(0);
    expect(existsSync(join(folder, "deep/kept.json"))).toBe(true);
    const again = startSandboxCommand(words);
    expect(await again.shows("Ctrl-C stops")).toMatch(/State +deep\/kept.json \(resumed\)/);
    expect((await again.stop()).code).toBe(0);
    const quiet = startSandboxCommand([...words, "--fixture", "empty", "--quiet"]);
    await quiet.shows("replaces it.");
    expect(await quiet.stop()).toMatchObject({
      code: 0,
      stdout: "",
      stderr:
        "Warning: The saved world was made from harbour-tours, not empty, and is used unchanged. --fresh replaces it.\n",
    });
  });

  it.concurrent("--watch resets the world to a changed valid fixture, and keeps it otherwise", async () => {
    const own = join(folder, "watched");
    cpSync(fileURLToPath(new URL("../../fixtures/harbour-tours", import.meta.url)), own, { recursive: true });
    const started = startSandboxCommand(["start", "--memory", "--port", "0", "--watch", "--fixture", own]);
    const text = await started.shows("Ctrl-C stops");
    const there = { SANDBOX_URL: /API +(\S+)/.exec(text)?.[1] ?? "" };
    const company = JSON.parse(readFileSync(join(own, "world.json"), "utf8"));
    writeFileSync(join(own, "world.json"), "{");
    await started.shows("world.json:1: is not JSON");
    await started.shows("The world is unchanged.");
    writeFileSync(join(own, "world.json"), JSON.stringify({ ...company, seed: 4711 }));
    await started.shows("World default is reset to the changed fixture");
    const world = JSON.parse((await runHere(["world", "--json"], there)).stdout) as { items: { seed: string }[] };
    expect(world.items[0]?.seed).toBeDefined();
    expect((await started.stop()).code).toBe(0);
    const { code, stderr } = await runHere(["start", "--memory", "--watch"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^--watch watches the folder of a fixture of your own, .*\n$/),
    ]);
  });

  it.concurrent("exits at once on the second signal", async () => {
    const started = startSandboxCommand(["start", ...FREE, "--json"]);
    const announced = JSON.parse(await started.shows("\n")) as { url: string };
    const stream = await fetch(`${announced.url}/_sandbox/stream`);
    started.child.kill("SIGTERM");
    await vi.waitFor(async () => expect(await isOpen(announced.url)).toBe(false), { interval: 5, timeout: 30_000 });
    expect((await started.stop()).code).toBe(143);
    await stream.body?.cancel().catch(() => undefined);
  });
});

const isOpen = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => resolve(Boolean(socket.destroy())));
    socket.on("error", () => resolve(false));
  });

describe("exec", () => {
  it.concurrent("passes a sandbox to its command, and returns its exit code", async () => {
    const script = "curl -s -o /dev/null -w '%{http_code} ' $SANDBOX_URL/healthz; env | grep -c ^SANDBOX_; exit 7";
    const { code, stdout } = await run(["exec", "--", "sh", "-c", script]);
    expect([code, stdout]).toEqual([7, "200 8\n"]);
    expect(existsSync(join(folder, ".sandbox", "world.json"))).toBe(false);
  });

  it.concurrent("prints one document with --json, and redirects its command to stderr", async () => {
    const { code, stdout, stderr } = await run(["exec", "--json", "printf", "%s", "--version"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { exit_code: 0, command: ["printf", "%s", "--version"] }]);
    expect(stderr).toBe("--version");
  });

  it.concurrent("forwards signals, and reports by its exit code which one ended its command", async () => {
    const started = startSandboxCommand(["exec", "--", "sh", "-c", "echo up; exec sleep 30"]);
    await started.shows("up");
    expect((await started.stop()).code).toBe(143);
  });

  it.concurrent("reports an unknown command", async () => {
    const { code, stderr } = await run(["exec", "--", "no-such-program"]);
    expect([code, stderr]).toEqual([
      127,
      "There is no command no-such-program. Check its name, or that it is installed.\n",
    ]);
  });
});

describe("play", () => {
  it.concurrent("--watch plays again when a scenario changes", async () => {
    const file = join(folder, "watched.yaml");
    const scenario = (title: string) =>
      `title: ${title}\nsteps:\n  - { name: look, call: getMe, expect: { status: 200 } }\n`;
    writeFileSync(file, scenario("Before"));
    const playing = startSandboxCommand(["play", "--watch", "--reporter", "tap", file]);
    await playing.shows("Waiting for changes");
    writeFileSync(file, scenario("After"));
    const text = await playing.shows(/After/);
    expect(text).toContain("Before");
    await playing.shows(/After[\s\S]*Waiting for changes/);
    expect((await playing.stop()).code).toBe(143);
  });

  it.concurrent("--watch waits for a deleted file to return", async () => {
    const stories = join(folder, "stories that return");
    const file = join(stories, "story.yaml");
    const write = (title: string) => writeFileSync(file, `title: ${title}\nsteps:\n  - { name: look, call: getMe }\n`);
    mkdirSync(stories);
    write("Before");
    const playing = startSandboxCommand(["play", "--watch", file]);
    await playing.shows("Waiting for changes");
    rmSync(file);
    await playing.shows(/there is no such file or folder[\s\S]*Waiting for changes/);
    write("After");
    await playing.shows(/After[\s\S]*Waiting for changes/);
    expect((await playing.stop()).code).toBe(143);
  });

  it.concurrent("prints nothing on stderr for many scenarios", async () => {
    const file = join(folder, "rows.yaml");
    writeFileSync(
      file,
      `title: x\nfixture: empty\neach: [${"{ a: 1 }, ".repeat(12)}]\nsteps: [{ name: look, call: getMe }]\n`,
    );
    const { code, stderr } = await run(["play", file], at);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it.concurrent("deletes its world from a running sandbox when it is interrupted, and reports what it played", async () => {
    const file = join(folder, "interrupted.yaml");
    const steps = [
      "{ name: late, fault: { operation: getMe, delay_ms: 60000, times: 1 } }",
      "{ name: look, call: getMe }",
    ];
    writeFileSync(file, `title: Slow\nclock: "2041-01-01T00:00:00Z"\nsteps: [${steps.join(", ")}]\n`);
    const worlds = async () => {
      const { items } = (await (await fetch(`${url}/_sandbox/worlds`)).json()) as { items: { now: string }[] };
      return items.filter(({ now }) => now.startsWith("2041"));
    };
    const playing = startSandboxCommand(["play", file], at);
    await playing.shows("late");
    expect(await worlds()).toHaveLength(1);
    const { code, stdout } = await playing.stop("SIGINT");
    expect([code, stdout]).toEqual([130, expect.stringContaining("stopped before its end")]);
    expect(await worlds()).toEqual([]);
  });
});

describe("A logins file of another user", () => {
  // Nothing is closed to root, so its command runs as nobody, who may not reach Node or the program in a folder of root's.
  const other = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const isReached = spawnSync(process.execPath, [bin, "--version"], { cwd: "/", env: {}, ...other }).status === 0;

  it.skipIf(process.platform === "win32" || !isReached).concurrent("stops no command, and is reported", async () => {
    const home = join(folder, "home-of-another");
    const file = join(home, "experience-sandbox", "logins.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{ "logins": [] }', { mode: 0 });
    const environment = { PATH: process.env.PATH, XDG_CONFIG_HOME: home };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, "clock", "--url", url], {
      cwd: "/",
      env: environment,
      ...other,
    });
    expect(stdout).toContain("2030-06-01");
    expect(stderr).toContain("logins.json can't be read: EACCES");
    expect(stderr).toContain("No login is used.");
  });
});

describe("env", () => {
  it.concurrent("sets up a shell", async () => {
    const script =
      'eval "$(sandbox env)"; curl -s -d grant_type=client_credentials -d audience=$SANDBOX_URL -u $SANDBOX_CLIENT_ID:$SANDBOX_CLIENT_SECRET $SANDBOX_TOKEN_URL';
    expect(JSON.parse((await shell(script, at)).stdout)).toHaveProperty("access_token");
  });
});

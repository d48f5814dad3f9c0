// The README says what the code does: its tables come from the code, its receiver runs, its commands exist.
// `npm run readme` writes the tables anew.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import manifest from "../package.json" with { type: "json" };
import { actsShown } from "../src/http/control/acts.ts";
import { environmentName, type Setting, settings } from "../src/settings.ts";
import { openHouse, type TestHouse } from "./house.ts";

const README = "README.md";
const text = readFileSync(README, "utf8");

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
function part(name: string, from = text): string {
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(from);
  if (!found) throw new Error(`the README has no part called ${name}`);
  return found[1] as string;
}

const row = (...cells: string[]) => `| ${cells.join(" | ")} |`;
const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${head.map(() => "---").join("|")}|`, ...rows.map((cells) => row(...cells)), ""].join("\n");
const plain = (words: string) => words.replaceAll("|", "\\|");

const optionsTable = () =>
  table(
    ["option", "environment", "default", "meaning"],
    (settings as readonly Setting[]).map(({ name, placeholder, default: usual, meaning }) => {
      const shown =
        usual === undefined || usual === false || (Array.isArray(usual) && usual.length === 0)
          ? ""
          : `\`${String(usual)}\``;
      return [
        `\`--${name}${placeholder ? ` ${placeholder}` : ""}\``,
        `\`${environmentName(name)}\``,
        shown,
        plain(meaning),
      ];
    }),
  );

const actsTable = () =>
  table(
    ["act", "what happens"],
    actsShown().map(({ act, summary }) => [`\`${act}\``, plain(summary)]),
  );

const scenariosTable = () => {
  const files = readdirSync("scenarios")
    .filter((file) => file.endsWith(".yaml"))
    .sort();
  const rows = files.flatMap((file) => {
    const { rules = [] } = parse(readFileSync(join("scenarios", file), "utf8")) as { rules?: string[] };
    return rules.map((rule) => [plain(rule), `[${file.replace(".yaml", "").replaceAll("-", " ")}](scenarios/${file})`]);
  });
  return table(
    ["rule", "story"],
    rows.sort((a, b) => String(a).localeCompare(String(b), "en")),
  );
};

const tables: Record<string, () => string> = { options: optionsTable, acts: actsTable, scenarios: scenariosTable };

describe("A table of the README is what the code says:", () => {
  it.each(Object.keys(tables))("%s", (name) => {
    const wanted = tables[name]?.() ?? "";
    if (process.env.UPDATE_README) {
      const current = readFileSync(README, "utf8");
      writeFileSync(
        README,
        current.replace(`<!-- ${name} -->\n${part(name, current)}`, () => `<!-- ${name} -->\n${wanted}`),
      );
      return;
    }
    expect(part(name)).toBe(wanted);
  });

  it("dependencies, each with what it is for", () => {
    const named = [...part("dependencies").matchAll(/^\| (\S+) \| .+ \|$/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== "package");
    expect(named.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
    expect(manifest).not.toHaveProperty("dependencies");
  });
});

describe("The receiver in the README", () => {
  let house: TestHouse;
  let folder: string;
  beforeAll(async () => {
    house = await openHouse({ retry: "fast" });
    folder = mkdtempSync(join(tmpdir(), "receiver-"));
  });
  afterAll(async () => {
    await house.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("has about twenty lines, verifies each delivery, and tells each message once", async () => {
    const code = part("receiver").replace(/^```js\n|```\n$/g, "");
    expect(code.trim().split("\n").length).toBeLessThanOrEqual(23);
    writeFileSync(join(folder, "receiver.mjs"), code);
    const port = await freePort();
    const world = await house.world();
    const made = await world.call("createWebhookSubscription", {
      body: { url: `http://127.0.0.1:${port}/hook`, event_types: ["v1.marketing_consent.created"], state: "ENABLED" },
    });
    const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: made.body.secret },
    });
    let heard = "";
    child.stdout.on("data", (chunk) => (heard += chunk));
    try {
      await reachable(port);
      await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo Dam" });
      const delivered = async () =>
        (await world.control("get", "messages?kind=v1.marketing_consent.created")).body.items[0];
      await eventually(async () => (await delivered()).deliveries[0].state === "DELIVERED");
      const { id } = await delivered();
      await world.control("post", `messages/${id}/resend`, {});
      await eventually(async () => (await delivered()).deliveries[0].attempts.length === 2);
      expect((await delivered()).deliveries[0].attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        "ACCEPTED",
        "ACCEPTED",
      ]);
      expect(heard.match(/v1\.marketing_consent\.created/g)).toHaveLength(1);
      const forged = await fetch(`http://127.0.0.1:${port}/hook`, {
        method: "POST",
        body: "{}",
        headers: { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "AAAA" },
      });
      expect(forged.status).toBe(401);
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("A command that the README shows exists:", () => {
  const commands = [...new Set([...text.matchAll(/npx sandbox ([a-z]+)/g)].map(([, name]) => name as string))];
  const known = readdirSync("src/cli").map((file) => file.replace(".ts", ""));
  it.each(commands)("sandbox %s", (name) => {
    expect(known).toContain(name);
  });

  it("and so does each option in its workflow", () => {
    const options = [...part("workflow").matchAll(/ --([a-z-]+)/g)].map(([, name]) => name);
    const all = [...settings.map(({ name }) => name as string), "reporter", "output"];
    expect(all).toEqual(expect.arrayContaining(options));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const reachable = (port: number) =>
  eventually(() =>
    fetch(`http://127.0.0.1:${port}`, { method: "POST" }).then(
      () => true,
      () => false,
    ),
  );

async function eventually(look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not happen within five seconds");
}

// The receivers in docs/webhooks.md, run as they stand: each verifies a delivery, tells a message once, and refuses a forged one.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { shareSandbox } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { codeOf } from "./markdown.ts";

const PAGE = "docs/webhooks.md";
const receivers = [
  { name: "node", file: "receiver.mjs", run: (file: string) => [process.execPath, file] },
  { name: "python", file: "receiver.py", run: (file: string) => ["python3", file] },
  { name: "php", file: "receiver.php", run: (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file] },
] as const;

const isHere = (program: string) => spawnSync(program, ["--version"]).status === 0;

const sandbox = shareSandbox({ retry: "fast" });
const folder = makeTempFolder();

describe("A documented receiver verifies each delivery and processes each message once:", () => {
  for (const { name, file, run } of receivers) {
    it.skipIf(!isHere(run("x", 0)[0] as string))(name, async () => {
      const code = codeOf(PAGE, `receiver-${name}`);
      expect(code.trim().split("\n").length).toBeLessThanOrEqual(27);
      writeFileSync(join(folder, file), code);
      const port = await freePort();
      const world = await sandbox.world();
      const url = `http://127.0.0.1:${port}/hook`;
      const { body: subscription } = await world.call("createWebhookSubscription", {
        body: { url, event_types: ["v1.marketing_consent.created"], state: "ENABLED" },
      });
      const [program, ...words] = run(join(folder, file), port) as [string, ...string[]];
      const environment = { ...process.env, PORT: String(port), SANDBOX_WEBHOOK_SECRET: subscription.secret };
      const child = spawn(program, words, { env: environment });
      let heard = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (heard += chunk));
      try {
        await eventually(() => reaches(url));
        await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo Dam" });
        const delivery = async () => {
          const [message] = (await world.control("get", "messages?kind=v1.marketing_consent.created")).body.items;
          return { ...message.deliveries[0], message: message.id };
        };
        await eventually(async () => (await delivery()).state === "DELIVERED");
        await world.control("post", `messages/${(await delivery()).message}/resend`, {});
        await eventually(async () => (await delivery()).attempts.length === 2);
        const outcomes = (await delivery()).attempts.map(({ outcome }: { outcome: string }) => outcome);
        expect(outcomes).toEqual(["ACCEPTED", "ACCEPTED"]);
        // The one in PHP leaves it to a database to know what it has seen.
        expect(heard.match(/v1\.marketing_consent\.created/g)).toHaveLength(name === "php" ? 2 : 1);
        const forged = { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "AAAA" };
        expect((await fetch(url, { method: "POST", body: "{}", headers: forged })).status).toBe(401);
      } finally {
        child.kill("SIGKILL");
      }
    });
  }
});

const reaches = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

async function eventually(look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2000; tries++) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not happen within fifty seconds");
}

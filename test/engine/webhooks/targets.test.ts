// Where messages are never sent, and receivers whose certificate nobody trusts.
import { execFileSync } from "node:child_process";
import type { lookup } from "node:dns";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeLookup } from "../../../src/engine/webhooks/targets.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { eventually, receive, sendBookingTo } from "./kit.ts";

const resolving = (addresses: Record<string, string>, requested: string[] = []) =>
  ((name: string, _: object, callback: (error: Error | null, found: { address: string; family: number }[]) => void) => {
    requested.push(name);
    setImmediate(() => {
      const address = addresses[name];
      if (address) callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
      else callback(new Error(`no ${name}`), []);
    });
  }) as unknown as typeof lookup;

const ask = (look: ReturnType<typeof makeLookup>, name: string, all = true) =>
  new Promise<unknown>((resolve, reject) =>
    look(name, { all }, (error, address) => (error ? reject(error) : resolve(address))),
  );

it.each([
  "169.254.169.254",
  "fe80::1",
  "fe80::1%eth0",
  "::ffff:169.254.1.1",
  "fd00:ec2::254",
  "fd20:ce:0:0::254",
  "100.100.100.200",
  "::ffff:192.0.0.192",
])("A name that resolves to %s is blocked", async (address) => {
  await expect(ask(makeLookup(resolving({ "rebound.test": address })), "rebound.test")).rejects.toThrow(
    "never sent to",
  );
});

it("A public name is passed on, with one lookup for all simultaneous requests", async () => {
  const requested: string[] = [];
  const look = makeLookup(resolving({ "good.test": "127.0.0.1" }, requested));
  const answers = await Promise.all([ask(look, "good.test"), ask(look, "good.test"), ask(look, "good.test", false)]);
  expect(answers).toEqual([[{ address: "127.0.0.1", family: 4 }], [{ address: "127.0.0.1", family: 4 }], "127.0.0.1"]);
  expect(requested).toEqual(["good.test"]);
  await expect(ask(look, "bad.test")).rejects.toThrow("no bad.test");
});

it("A receiver with an untrusted certificate is unreachable, and the record gives advice", async () => {
  const folder = makeTempFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost -days 1 -nodes";
  execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
  const receiver = await receive(undefined, (listener) => createServer(options, listener) as never);
  const { sandbox } = sendBookingTo(receiver.url.replace("http:", "https:"), 2000);
  await eventually(() => sandbox.attempts.length === 1);
  const [attempt] = sandbox.deliveries()[0]!.attempts;
  expect(attempt).toMatchObject({
    outcome: "UNREACHABLE",
    answer: null,
    error: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  });
  expect(receiver.got).toEqual([]);
});

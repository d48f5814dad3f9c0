// `start --https`: every address uses HTTPS, commands reach the sandbox, and it delivers to receivers with their own certificates.
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCertificate } from "../../src/cli/make-certificate.ts";
import { startSandbox } from "../../src/index.ts";
import { book, CLOCK } from "../library/works-anywhere.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";
import { run, type Started, startSandboxCommand } from "./run-sandbox.ts";

const project = makeTempFolder();
const certificateFile = join(project, ".sandbox", "tls-cert.pem");
const pair = makeCertificate(["localhost", "127.0.0.1"], Date.now());
const [certFile, keyFile, otherKeyFile] = ["cert.pem", "key.pem", "other.pem"].map((name) => join(project, name)) as [
  string,
  string,
  string,
];
let started: Started;
let announced: { url: string; token_url: string; client_id: string; client_secret: string };

beforeAll(async () => {
  writeFileSync(certFile, pair.cert);
  writeFileSync(keyFile, pair.key);
  writeFileSync(otherKeyFile, makeCertificate(["localhost"], Date.now()).key);
  started = startSandboxCommand(["start", "--https", "--memory", "--port", "0", "--json"], {}, project);
  announced = JSON.parse(await started.shows(/^\{.*\}$/m));
});
afterAll(async () => {
  await started.stop();
});

/** Sends a request as a program that trusts the certificate. */
function read(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca: readFileSync(certificateFile) }, (response) => {
      let text = "";
      response.on("data", (piece) => (text += piece)).on("end", () => resolve(text));
    }).on("error", reject);
  });
}

it("uses https addresses everywhere", async () => {
  const { url } = announced;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(announced).toMatchObject({ token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox`, auth_url: url });
  expect(JSON.parse(readFileSync(join(project, ".sandbox", "server.json"), "utf8"))).toMatchObject({ url });
  expect(JSON.parse(await read(`${url}/openapi.json`)).servers).toMatchObject([{ url }]);
  expect(JSON.parse(await read(`${url}/_sandbox`))).toMatchObject({ url, token_url: `${url}/oauth2/token` });
});

it("keeps its key private, and names this machine in the certificate", () => {
  for (const name of ["tls-key.pem", "tls-cert.pem"])
    expect(statSync(join(project, ".sandbox", name)).mode & 0o777).toBe(0o600);
  const { subjectAltName } = new X509Certificate(readFileSync(certificateFile));
  for (const name of ["DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1"])
    expect(subjectAltName).toContain(name);
});

it("is found by commands in its folder, by address and by port", async () => {
  const { url } = announced;
  const booked = await run(["trigger", "v1.booking.created"], {}, project);
  expect(booked).toMatchObject({ code: 0 });
  const called = await run(["call", "listBookings", "--url", url], {}, project);
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining("items") });
  const env = await run(["env"], { SANDBOX_PORT: new URL(url).port }, project);
  expect(env.stdout).toContain(url);
});

it("keeps its certificate across starts, and prints the fingerprint", async () => {
  const { fingerprint256 } = new X509Certificate(readFileSync(certificateFile));
  const second = startSandboxCommand(["start", "--https", "--memory", "--port", "0"], {}, project);
  const banner = await second.shows("Ctrl-C stops");
  await second.stop();
  for (const half of [fingerprint256.slice(0, 47), fingerprint256.slice(48)]) expect(banner).toContain(half);
  expect(banner).toContain("curl -s --cacert .sandbox/tls-cert.pem ");
  expect(new X509Certificate(readFileSync(certificateFile)).fingerprint256).toBe(fingerprint256);
});

it("serves with a given certificate", async () => {
  const folder = join(project, "given");
  mkdirSync(folder);
  const words = ["start", "--tls-cert", certFile, "--tls-key", keyFile, "--memory", "--port", "0"];
  const given = startSandboxCommand(words, {}, folder);
  const banner = await given.shows("Ctrl-C stops");
  expect(banner).toContain(new X509Certificate(pair.cert).fingerprint256.slice(0, 47));
  expect(await run(["env"], {}, folder)).toMatchObject({ code: 0, stdout: expect.stringContaining("https://") });
  expect(existsSync(join(folder, ".sandbox", "tls-key.pem"))).toBe(false);
  await given.stop();
});

it.each([
  [
    ["--tls-cert", certFile, "--tls-key", otherKeyFile],
    `--tls-key ${otherKeyFile} is not the key of the certificate in`,
  ],
  [["--tls-cert", certFile], "--tls-cert and --tls-key belong together."],
  [["--tls-cert", join(project, "none"), "--tls-key", keyFile], `--tls-cert ${join(project, "none")} can't be read`],
  [["--tls-cert", keyFile, "--tls-key", keyFile], `--tls-cert ${keyFile} can't be read`],
  [["--ca", join(project, "none")], `--ca is ${join(project, "none").slice(0, 20)}`],
  [["--ca", keyFile], "has no certificate in PEM"],
])("rejects %j", async (words, sentence) => {
  const { code, stderr } = await runHere(["start", "--memory", "--port", "0", ...words]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
});

it("delivers to a receiver whose certificate --ca names, and to no other", async () => {
  let requests = 0;
  const receiver = createServer({ key: pair.key, cert: pair.cert }, (_, response) => {
    requests++;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const webhookUrl = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const options = { clock: CLOCK, webhookUrl, webhookEvents: ["v1.booking.created" as const] };
  for (const [ca, outcome] of [
    [certFile, "ACCEPTED"],
    [undefined, "UNREACHABLE"],
  ] as const) {
    const sandbox = await startSandbox({ ...options, ca });
    await book(sandbox);
    await expect
      .poll(async () => (await sandbox.webhooks.all("v1.booking.created"))[0]?.deliveries[0]?.attempts)
      .toMatchObject([{ outcome }]);
    await sandbox.close();
  }
  expect(requests).toBe(1);
  receiver.close();
});

// A port that `fetch` blocks: `start` prints a warning, and commands reach the sandbox at that port.
import { expect, it } from "vitest";
import { BAD_PORTS } from "../../src/platform/bad-port.ts";
import { run, type Started, startSandboxCommand } from "./run-sandbox.ts";

const start = (port: number | string) => startSandboxCommand(["start", "--memory", "--json", "--port", String(port)]);

async function startOnBadPort(): Promise<{ started: Started; url: string }> {
  for (const port of [...BAD_PORTS].filter((each) => each > 1024)) {
    const started = start(port);
    const output = await started.shows(/^\{.*"control_url".*\n/).catch(() => undefined);
    if (output !== undefined) return { started, url: JSON.parse(output.split("\n")[0] as string).url };
  }
  throw new Error("No port of the list is free.");
}

it("warns at the start, and starts", async () => {
  const { started, url } = await startOnBadPort();
  const done = await run(["world", "list"], { SANDBOX_URL: url });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  const { code, stderr } = await started.stop();
  const { port } = new URL(url);
  const warning = `Warning: Browsers and fetch never send requests to port ${port}, which the Fetch standard blocks. Choose another --port.`;
  expect({ code, lines: stderr.split("\n").filter((line) => line.includes("Fetch standard")) }).toEqual({
    code: 0,
    lines: [warning],
  });
});

it("does not warn of other ports", async () => {
  const started = start(0);
  await started.shows("\n");
  expect((await started.stop()).stderr).not.toContain("Fetch standard");
});

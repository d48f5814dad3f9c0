// A probe that fails: the message has the command, its exit code or time limit, and the last line of its stderr.
import { expect, it } from "vitest";
import { createProbe } from "../../src/cli/check-runs.ts";
import type { Connection } from "../../src/verdict/index.ts";

const CONNECTION = { url: "http://127.0.0.1:9", control_url: "http://127.0.0.1:9/_sandbox" } as Connection;

it.each([
  ["echo one >&2; echo two >&2; exit 3", "failed with exit code 3: two"],
  ["exit 4", "failed with exit code 4 and wrote nothing to stderr."],
  ["echo busy >&2; exec sleep 20", "took longer than its limit of 0.3 s: busy"],
  ["echo no", 'must print JSON, and printed "no\\n".'],
])("a probe that runs `%s` %s", async (command, sentence) => {
  const probe = createProbe(command, { PATH: process.env.PATH }, 300);
  await expect(probe?.(CONNECTION)).rejects.toThrow(`The probe \`${command}\` ${sentence}`);
});

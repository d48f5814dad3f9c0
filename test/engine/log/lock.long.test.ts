// A data file whose process was in another container and is gone: its pid says nothing, so the lock is watched for ten seconds.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempFolder } from "../../temp-folder.ts";
import { readFile } from "./kit.ts";

it("A lock that another container has not touched for ten seconds is replaced", {
  timeout: 60_000,
}, async () => {
  const file = join(makeTempFolder(), "data.json");
  writeFileSync(`${file}.lock`, `${process.pid} 1 another`);
  const began = performance.now();
  await readFile(file);
  // A watch may be a little ahead of a timer.
  expect(performance.now() - began).toBeGreaterThan(9_900);
});

import { appendFileSync } from "node:fs";
import { test } from "vitest";
import { checks } from "../../src/verdict/index.ts";
import { careless, judged, meantBy } from "./matrix.ts";
test("diag", async () => {
  const wanted = process.env.DIAG?.split(",");
  const list = careless.filter((p) => !wanted || wanted.some((w) => meantBy(p).startsWith(w)));
  const queue = [...list];
  await Promise.all([1, 2].map(async () => {
    for (let p = queue.shift(); p; p = queue.shift()) {
      const id = meantBy(p);
      try {
        const hook = id === "HOOK-06" ? { webhookUrl: "http://127.0.0.1:{port}/hooks" } : {};
        const v = await judged(p, { only: process.env.ALL ? checks : checks.filter((c) => c.id === id), ...hook });
        const lines = v.no_verdict ? [`${v.no_verdict.code} ${v.no_verdict.says} ${v.no_verdict.output?.slice(-400)}`] : v.results.filter((r) => r.id === id || !["pass", "not-exercised"].includes(r.outcome)).map((r) => `${r.id === id ? "" : "  OFF "}${r.id} ${r.outcome} ${r.says}`);
        appendFileSync(process.env.OUT!, `${id}: ${lines.join("\n   ")}   [${Math.round(v.took_ms)}]\n`);
      } catch (e) { appendFileSync(process.env.OUT!, `${id}: ERROR ${(e as Error).stack}\n`); }
    }
  }));
}, 3_000_000);

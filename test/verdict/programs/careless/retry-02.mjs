// Waits less before each attempt, since fewer are left.
import { careful, run, sleep } from "../shop.mjs";

await run({
  ...careful,
  wait: (answer, attempt) =>
    answer.url.includes("/v1/") && answer.status === 503 && answer.headers.get("retry-after") === null
      ? sleep((4 - Math.min(attempt, 4)) * 300)
      : careful.wait(answer, attempt),
});

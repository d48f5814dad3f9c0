// Repeats a read that answers 503 at once.
import { careful, run } from "../shop.mjs";

await run({
  ...careful,
  wait: (answer, attempt) =>
    answer.url.includes("/v1/") && answer.status === 503 ? undefined : careful.wait(answer, attempt),
});

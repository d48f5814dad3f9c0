// The credentials of a world had no secret of the subscription that was made with it, so no program could check its messages.
import { expect, it } from "vitest";
import type { Schemas } from "../../src/contract/schemas.ts";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });

it("The credentials of a world have the secret of the subscription that was created with it", async () => {
  const ask = async (path: string, body?: object) => {
    const sent = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`${sandbox.url}/_sandbox/worlds${path}`, { method: body ? "POST" : "GET", ...sent });
    return (await answer.json()) as Partial<Schemas["NewWorld"]>;
  };
  const made = await ask("", { id: "followed", fixture: "empty", webhook_url: "http://127.0.0.1:9/hooks" });
  expect(made.webhook_secret).toMatch(/^whsec_/);
  expect((await ask("/followed/credentials")).webhook_secret).toBe(made.webhook_secret);
  await ask("", { id: "alone", fixture: "empty" });
  expect((await ask("/alone/credentials")).webhook_secret).toBeNull();
});

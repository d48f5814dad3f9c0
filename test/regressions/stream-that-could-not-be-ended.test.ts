// A follower of the stream could not be stopped once garbage had been collected: what `fetch` makes of its signal was garbage too.
import { expect, it } from "vitest";
import { follow } from "../../src/cli/stream.ts";
import { unwrap } from "../../src/client/control.ts";
import { createControl } from "../../src/client/create-control.ts";
import { collectGarbage } from "../garbage.ts";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox();

it("a stream ends on its signal, however much garbage was collected before", async () => {
  const { url } = sandbox;
  const client = { url, world: "default", controlToken: undefined, control: createControl({ url }), ask: unwrap };
  const ending = new AbortController();
  const stream = await follow(client, ending.signal);
  expect((await stream.next()).value).toMatchObject({ type: "hello" });
  const next = stream.next();
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  ending.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

// Implements `start --watch`: resets the default world whenever its fixture folder has changed. If the fixture is invalid, the errors are
// printed and the world does not change.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { FixtureError, readFixture } from "../engine/fixtures/index.ts";
import { toExcerpt } from "../engine/settings.ts";
import { isFixtureName } from "../platform/fixture-name.ts";
import { findFixtures, type Sandbox } from "../sandbox.ts";
import { describeLoadedWorld } from "./answers/worlds.ts";
import { Misuse, toMessage } from "./failure.ts";
import { watchFolders } from "./watch.ts";

/** Rejects a built-in fixture, because it never changes. */
export function assertWatchable(fixture: string): void {
  if (existsSync(join(fixture, "world.json")) && !isFixtureName(fixture)) return;
  throw new Misuse(
    `--watch watches the folder of a fixture of your own, and --fixture is ${toExcerpt(fixture)}. Name a folder, such as ./my-company.`,
  );
}

/** Watches the fixture. Returns a function that stops watching. */
export function watchFixture(
  application: Sandbox["application"],
  fixture: string,
  say: (sentence: string) => void,
): () => void {
  // `last` is the fingerprint of the fixture that the world was created from.
  let last = application.worlds.get("default")?.identity()?.made_of;
  return watchFolders([resolve(fixture)], () => {
    try {
      const { print } = readFixture(fixture, findFixtures());
      const world = application.worlds.get("default");
      // An editor may save a file without changing it.
      if (print === last || !world) return;
      const reset = application.states.reset(world);
      // `last` is set after the reset, so that a failed reset is retried at the next change.
      last = print;
      const { mode } = application.clock.show(reset);
      const [now, counts] = [application.now(reset), reset.counts()];
      say(describeLoadedWorld("reset to the changed fixture", { id: "default", fixture, now, mode, counts }));
    } catch (reason) {
      const isRejected = reason instanceof FixtureError || (reason as Error)?.name === "DomainError";
      say(`${isRejected ? toMessage(reason) : String((reason as Error)?.stack ?? reason)}\nThe world is unchanged.`);
    }
  });
}

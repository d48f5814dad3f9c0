// start --watch: the world default is reset to its fixture whenever the folder of the fixture has changed and is sound. What is wrong
// with one that is not sound is said, and the world stays as it is.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { FixtureError, readFixture } from "../engine/fixtures/index.ts";
import { toExcerpt } from "../engine/settings.ts";
import { isFixtureName } from "../platform/fixture-name.ts";
import { findFixtures, type Sandbox } from "../sandbox.ts";
import { loadedText } from "./answers/worlds.ts";
import { Misuse, toMessage } from "./failure.ts";
import { watchFolders } from "./watch.ts";

/** A fixture that comes with the sandbox does not change. */
export function assertWatchable(fixture: string): void {
  if (existsSync(join(fixture, "world.json")) && !isFixtureName(fixture)) return;
  throw new Misuse(
    `--watch watches the folder of a fixture of your own, and --fixture is ${toExcerpt(fixture)}. Name a folder, such as ./my-company.`,
  );
}

/** Returns a function that ends it. */
export function watchFixture(
  application: Sandbox["application"],
  fixture: string,
  say: (sentence: string) => void,
): () => void {
  // The fingerprint of the fixture that the world was made of.
  let last = application.worlds.get("default")?.identity()?.made_of;
  return watchFolders([resolve(fixture)], () => {
    try {
      const { print } = readFixture(fixture, findFixtures());
      const world = application.worlds.get("default");
      // An editor may touch a file without a change.
      if (print === last || !world) return;
      const reset = application.states.reset(world);
      // After the reset: one that failed is tried again at the next change.
      last = print;
      const { mode } = application.clock.show(reset);
      const [now, counts] = [application.now(reset), reset.counts()];
      say(loadedText("reset to the changed fixture", { id: "default", fixture, now, mode, counts }));
    } catch (reason) {
      const isRejected = reason instanceof FixtureError || (reason as Error)?.name === "DomainError";
      say(`${isRejected ? toMessage(reason) : String((reason as Error)?.stack ?? reason)}\nThe world stays as it was.`);
    }
  });
}

// What is wrong with a fixture, for `validate`: one sentence each, with file, line and place. Its history is played as well, in
// sandboxes that do not listen, since an act is rejected only then. A rolling fixture is tried at every hour of a day.
import { after } from "../../engine/domain/index.ts";
import { anchorOf, FixtureError, readFixture } from "../../engine/fixtures/index.ts";
import { findFixtures, makeSandbox } from "../../sandbox.ts";
import { toMessage } from "../failure.ts";

/** One sentence for each problem; none for a fixture that a sandbox can begin with at any hour of a day. */
export async function fixtureProblems(nameOrFolder: string): Promise<string[]> {
  try {
    const { world, history, events } = readFixture(nameOrFolder, findFixtures());
    // Only a fixture that rolls depends on when it is loaded.
    const rolls = [...history, ...events].some(({ roll }) => roll !== undefined);
    for (let hour = 0; hour < (rolls ? 24 : 1); hour++) {
      const clock = after(anchorOf(world), `PT${hour}H1M`);
      const sandbox = await makeSandbox({ fixture: nameOrFolder, clock });
      await sandbox.close();
    }
    return [];
  } catch (error) {
    if (error instanceof FixtureError) return toMessage(error).split("\n");
    throw error;
  }
}

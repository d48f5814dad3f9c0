// Finds the problems of a fixture for `validate`. It starts sandboxes that don't listen, because acts in the fixture's history are
// only rejected when they run.
import { after } from "../../engine/domain/index.ts";
import { FixtureError, getAnchor, readFixture } from "../../engine/fixtures/index.ts";
import { findFixtures, makeSandbox } from "../../sandbox.ts";
import { toMessage } from "../failure.ts";

/** Returns one sentence per problem, with file, line and path. */
export async function findFixtureProblems(nameOrFolder: string): Promise<string[]> {
  try {
    const { world, history, events } = readFixture(nameOrFolder, findFixtures());
    // A fixture with rolling dates depends on when it is loaded, so it is tried at every hour of a day.
    const rolls = [...history, ...events].some(({ roll }) => roll !== undefined);
    for (let hour = 0; hour < (rolls ? 24 : 1); hour++) {
      const clock = after(getAnchor(world), `PT${hour}H1M`);
      const sandbox = await makeSandbox({ fixture: nameOrFolder, clock });
      await sandbox.close();
    }
    return [];
  } catch (error) {
    if (error instanceof FixtureError) return toMessage(error).split("\n");
    throw error;
  }
}

// Finds the shipped fixtures and their prebuilt worlds.

import { join } from "node:path";
import { isFixtureName } from "../../platform/fixture-name.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { noPrebuilt, openPrebuilt, type Prebuilt } from "../fixtures/prebuilt.ts";
import { type Fixture, readFixture } from "../fixtures/read.ts";

/** A shipped fixture is read once per process. A folder of the user is read again, because it may have changed. */
const shipped = new Map<string, Fixture>();

export function readOnce(name: string): Fixture {
  const fixture = shipped.get(name) ?? readFixture(name, findFixtures(), getPrebuilt());
  if (isFixtureName(name)) shipped.set(name, fixture);
  return fixture;
}

export function findFixtures(): string {
  return join(getPackageRoot(), "fixtures");
}

export const isBuilt = import.meta.url.endsWith(".cjs");

export const getDist = () => join(getPackageRoot(), "dist");

/** Returns the prebuilt worlds; from the sources, every fixture is played. */
export function getPrebuilt(): Prebuilt {
  return isBuilt ? openPrebuilt(getDist()) : noPrebuilt;
}

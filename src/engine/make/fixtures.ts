// The fixtures that come with the sandbox, and what the build has played of them.

import { join } from "node:path";
import { isFixtureName } from "../../platform/fixture-name.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { noPrebuilt, openPrebuilt, type Prebuilt } from "../fixtures/prebuilt.ts";
import { type Fixture, readFixture } from "../fixtures/read.ts";

/** A fixture that comes with the sandbox is read once a process; a folder of the user may have changed meanwhile. */
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

/** What the build has played already; from the sources everything is played. */
export function getPrebuilt(): Prebuilt {
  return isBuilt ? openPrebuilt(getDist()) : noPrebuilt;
}

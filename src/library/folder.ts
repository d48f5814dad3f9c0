// Creates worlds from a fixture folder of this machine in a running sandbox: the fixture is loaded here once and imported there.
import { basename } from "node:path";
import { type Control, openControl, type Schemas } from "../client/control.ts";
import type { SandboxOptions } from "../engine/settings.ts";
import { isFixtureName } from "../platform/fixture-name.ts";
import { type Origin, unwrap } from "./ask.ts";

/** The initial state of a world. */
export interface InitialState {
  document: Exported;
  /** The scopes of the first key; undefined if it has all scopes. */
  scopes: Scopes | undefined;
}

type Exported = Schemas["WorldDocument"] & { collections: Record<string, Record<string, unknown>[]> };
type Scopes = Schemas["UpdateKeyInput"]["scopes"];
type NewWorld = Schemas["NewWorld"];

/** Loads the fixture of the options in this process. */
export type LoadState = (options: SandboxOptions) => Promise<InitialState>;

/** Returns true for a path, and false for the name of a built-in fixture. */
export const isFolder = (fixture: string | undefined): fixture is string =>
  fixture !== undefined && !isFixtureName(fixture);

/** Loads each state once, because a test suite needs the same one for every test. */
export function cacheStates(begin: LoadState): LoadState {
  const made = new Map<string, Promise<InitialState>>();
  return (options) => {
    const key = JSON.stringify(options);
    const beginning = made.get(key) ?? begin(options);
    made.set(key, beginning);
    return beginning;
  };
}

/** A built-in fixture, which every sandbox has. */
const PLACEHOLDER_FIXTURE = "empty";

/** Replaces the fixture in the document, because a sandbox imports only worlds of a fixture that it can load itself. */
export function toImportable({ checksum: _, ...document }: Exported): Exported {
  const { identity } = document.collections;
  const renamed = (identity ?? []).map((each) => ({
    ...each,
    fixture: basename(String(each.fixture)),
    origin: { ...(each.origin as object), fixture: PLACEHOLDER_FIXTURE },
  }));
  return { ...document, collections: { ...document.collections, identity: renamed } };
}

/** Returns the input for a placeholder world, whose state is replaced. Its id and subscription stay. */
export const toPlaceholder = ({ fixture: _, seed: _seed, ...input }: Schemas["WorldInput"]): Schemas["WorldInput"] => ({
  ...input,
  fixture: PLACEHOLDER_FIXTURE,
  clock: "anchor",
});

/** Imports the state into a new world, and gives its key the scopes of the fixture's key. */
export async function applyState(origin: Origin, { id, client_id }: NewWorld, beginning: InitialState): Promise<void> {
  const { scopes } = beginning;
  const control = openControl(origin, id);
  await restoreState(control, beginning);
  if (scopes) await unwrap(control.POST("/_sandbox/acts/updateKey", { body: { client_id, scopes } }));
}

/** Imports the state. The keys and tokens of the world stay. */
export const restoreState = async (control: Control, { document }: InitialState): Promise<void> =>
  void (await unwrap(control.PUT("/_sandbox/state", { body: document })));

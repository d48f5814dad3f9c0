// A world that begins as a folder of this machine, in a sandbox that runs already: it is made here once, and imported there.
import { basename } from "node:path";
import { type Control, openControl, type Schemas } from "../client/control.ts";
import type { SandboxOptions } from "../engine/settings.ts";
import { isFixtureName } from "../platform/fixture-name.ts";
import { unwrap } from "./ask.ts";
import type { Origin } from "./origin.ts";

/** What a world begins as. */
export interface InitialState {
  document: Exported;
  /** Of its first key, where those are not all. */
  scopes: Scopes | undefined;
}

type Exported = Schemas["WorldDocument"] & { collections: Record<string, Record<string, unknown>[]> };
type Scopes = Schemas["UpdateKeyInput"]["scopes"];
type NewWorld = Schemas["NewWorld"];

/** Loads a fixture in this process. */
export type LoadState = (options: SandboxOptions) => Promise<InitialState>;

/** Anything else is the name of a fixture. */
export const isFolder = (fixture: string | undefined): fixture is string =>
  fixture !== undefined && !isFixtureName(fixture);

/** Each is made once: a suite asks for the same one for every test. */
export function cacheStates(begin: LoadState): LoadState {
  const made = new Map<string, Promise<InitialState>>();
  return (options) => {
    const key = JSON.stringify(options);
    const beginning = made.get(key) ?? begin(options);
    made.set(key, beginning);
    return beginning;
  };
}

/** A fixture that every sandbox has. */
const PLACEHOLDER_FIXTURE = "empty";

/** A sandbox takes only worlds that it can begin anew itself, so this one says that it began as one of those. */
export function toImportable({ checksum: _, ...document }: Exported): Exported {
  const { identity } = document.collections;
  const renamed = (identity ?? []).map((each) => ({
    ...each,
    fixture: basename(String(each.fixture)),
    origin: { ...(each.origin as object), fixture: PLACEHOLDER_FIXTURE },
  }));
  return { ...document, collections: { ...document.collections, identity: renamed } };
}

/** Where the state of a folder goes: the id and the subscription stay when the state is replaced. */
export const toPlaceholder = ({ fixture: _, seed: _seed, ...input }: Schemas["WorldInput"]): Schemas["WorldInput"] => ({
  ...input,
  fixture: PLACEHOLDER_FIXTURE,
  clock: "anchor",
});

/** A new world becomes it: its own key may do what the fixture's may. */
export async function applyState(origin: Origin, { id, client_id }: NewWorld, beginning: InitialState): Promise<void> {
  const { scopes } = beginning;
  const control = openControl(origin, id);
  await restoreState(control, beginning);
  if (scopes) await unwrap(control.POST("/_sandbox/acts/updateKey", { body: { client_id, scopes } }));
}

/** The keys and tokens of the world stay. */
export const restoreState = async (control: Control, { document }: InitialState): Promise<void> =>
  void (await unwrap(control.PUT("/_sandbox/state", { body: document })));

// Reads the settings of a recorded world for the head of a scenario, and the texts of its fixture, such as ids. It creates, reads and removes
// a fresh world for these texts.

import { type Control, type Server, unwrap } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { operationsOf } from "../../contract/document/document.ts";
import { sendRequest } from "../../platform/send-request.ts";
import type { Beginning, Entry, LogSlice, RecordedOperation } from "./log-slice.ts";

export interface KnownStart extends Omit<LogSlice, "title" | "entries" | "messages" | "spans"> {
  /** The `seq` of the first entry of the world. */
  first: number;
}

/** Creates a world and removes it. The recorded world is not changed. */
export async function readStart(server: Server, control: Control, world: string, first: Entry): Promise<KnownStart> {
  const inWorld = { params: { path: { worldId: world } } };
  const about = await unwrap(control.GET("/_sandbox"));
  const { items: assumptions } = await unwrap(control.GET("/_sandbox/assumptions"));
  const { items: keys } = await unwrap(control.GET("/_sandbox/worlds/{worldId}/credentials", inWorld));
  const { items: acts } = await unwrap(control.GET("/_sandbox/acts"));
  const actNames = new Set<string>(acts.map(({ act }) => act));
  const assumed = assumptions.flatMap(({ id, value, default: byDefault }) =>
    value === byDefault || value === null ? [] : [[id, value] as const],
  );
  const beginning: Beginning = {
    fixture: about.fixture,
    // The clock is held at the start of the world, because clock moves are steps.
    clock: first.at,
    seed: parseSeed(String(about.seed)),
    assume: Object.fromEntries(assumed),
    server: {
      ...(about.maturity === "production" ? { maturity: about.maturity } : {}),
      ...(about.retry === "fast" ? { retry: about.retry } : {}),
      ...(about.rate_limit === null ? {} : { rate_limit: about.rate_limit }),
    },
  };
  const texts = await collectFixtureTexts(server, beginning);
  const { client_id = "", scopes = [] } = keys[0] ?? {};
  return {
    first: first.seq,
    beginning,
    operations: await fetchOperations(server),
    isAct: (name) => actNames.has(name),
    key: { client_id, scopes },
    url: about.url,
    begins: (text) => texts.has(text),
  };
}

/** The part after the slash is specific to the recorded world. */
function parseSeed(text: string): number | string {
  const [digits = text] = text.split("/", 1);
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}

/** Returns every text of a world with these settings, including the ids of its fixture. */
async function collectFixtureTexts(server: Server, { fixture, clock, seed }: Beginning): Promise<Set<string>> {
  const control = createControl(server);
  const { id } = await unwrap(control.POST("/_sandbox/worlds", { body: { fixture, clock, seed } }));
  try {
    const state = await unwrap(createControl(server, id).GET("/_sandbox/state"));
    const texts = new Set<string>();
    const see = (value: unknown): void => {
      if (typeof value === "string") texts.add(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(see);
    };
    see(state);
    return texts;
    // The created world is removed in any case.
  } finally {
    await control.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } });
  }
}

async function fetchOperations({ url, send = sendRequest }: Server): Promise<Map<string, RecordedOperation>> {
  const response = await send(new Request(`${url}/openapi.json`));
  const operations = operationsOf((await response.json()) as Record<string, unknown>);
  return new Map(operations.map((operation) => [operation.id, operation]));
}

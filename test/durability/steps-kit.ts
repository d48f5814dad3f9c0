// What the crash matrix works with: a sandbox whose steps on files can be met by name, a receiver of webhooks, and what is done to worlds
// while it is killed, each with what must then be true.
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { openReceiver } from "../engine/webhooks/kit.ts";
import { furnish, newFile, type OwnProcess, openOn, removeFolderOf } from "./own-process.ts";

const GATE = fileURLToPath(new URL("step-gate.cjs", import.meta.url));

export type How = "before" | "half" | "after" | "full";
export interface Meeting {
  step: string;
  how: How;
  having?: string;
  skip?: number;
}

export interface Gated {
  served: OwnProcess;
  /** The bookings that were answered 201, all of them. */
  booked: string[];
  /** Books once, and keeps the id; the status of the answer and its message. */
  book(): Promise<{ status: number; text: string }>;
  ask(method: string, path: string, body?: object): Promise<{ status: number; body: Json }>;
  meet(meeting: Meeting): void;
  /** Whether the step was met. */
  wasMet(): boolean;
  leave(): void;
  restart(): Promise<void>;
  files(): string[];
  /** Of all that was answered 201: what is not there, and what nobody heard of by one message. */
  missing(): Promise<{ lost: string[]; unheard: string[] }>;
  end(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export type Json = any;

/** Worlds that no work changes: beside them, a compaction writes only those that have changed. */
const STILL = ["still-1", "still-2", "still-3"];

const open = new Set<Gated>();
/** What a test that failed has left. */
export const endAll = (): Promise<unknown> => Promise.all([...open].map((gated) => gated.end()));

export async function openGated(durability: string): Promise<Gated> {
  /** By booking, the ids of the messages that came. */
  const heard = new Map<string, Set<string>>();
  const hook = await openReceiver((answer, _, { body, headers }) => {
    const { booking_id } = (JSON.parse(body) as { payload: { booking_id: string } }).payload;
    heard.set(booking_id, (heard.get(booking_id) ?? new Set()).add(String(headers["webhook-id"])));
    answer.writeHead(204).end();
  });
  const file = newFile();
  const gate = `${dirname(file)}.gate`;
  const environment = {
    NODE_OPTIONS: `--require=${JSON.stringify(GATE)}`,
    STEP_GATE: gate,
  };
  const webhooks = ["--webhook-url", hook.url, "--webhook-events", "v1.booking.created"];
  const more = ["--durability", durability, "--log-bytes", "100000", ...webhooks];
  const start = (clock?: null) => openOn(file, { environment, more, ...(clock === null ? { clock } : {}) });
  const gated: Gated = {
    served: await start(),
    booked: [],
    async book() {
      const { status, id, text } = await gated.served.book();
      if (status === 201) gated.booked.push(id);
      return { status, text };
    },
    ask: (method, path, body) => ask(gated.served, method, path, body),
    meet: (meeting) => writeFileSync(gate, JSON.stringify(meeting)),
    wasMet: () => existsSync(`${gate}.hit`),
    leave() {
      for (const path of [gate, `${gate}.hit`]) rmSync(path, { force: true });
    },
    async restart() {
      gated.served = await start(null);
    },
    files: () =>
      readdirSync(dirname(file), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name.replace(basename(file), ""))
        .sort(),
    missing: () => missing(gated, heard),
    async end() {
      open.delete(gated);
      await gated.served.end("SIGKILL");
      await hook.close();
      removeFolderOf(file);
      for (const path of [gate, `${gate}.hit`]) rmSync(path, { force: true });
    },
  };
  open.add(gated);
  await furnish(gated.served);
  for (const id of [...STILL, "scratch", "side"]) {
    const { status, body } = await gated.ask("POST", "/worlds", { id, fixture: "harbour-tours" });
    expect([status, body]).toMatchObject([201, { id }]);
  }
  return gated;
}

async function ask({ url }: OwnProcess, method: string, path: string, body?: object) {
  try {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/_sandbox${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  } catch {
    return { status: 0, body: undefined };
  }
}

async function missing({ served, booked }: Gated, heard: ReadonlyMap<string, ReadonlySet<string>>) {
  const retained = new Set(await served.bookings());
  const lost = booked.filter((id) => !retained.has(id));
  const notOnce = () => booked.filter((id) => heard.get(id)?.size !== 1);
  await vi.waitFor(() => expect(notOnce()).toEqual([]), { timeout: 20_000, interval: 5 }).catch(() => undefined);
  return { lost, unheard: notOnce() };
}

export interface Work {
  /** Before the gate is set. */
  prepare?(gated: Gated): Promise<unknown>;
  /** What is done until the step is met; whether it was answered well. */
  act(gated: Gated, prepared: Json): Promise<boolean>;
  /** What must be true afterwards, whole or not at all; of what was answered, whole. */
  check?(gated: Gated, prepared: Json, isAnswered: boolean): Promise<void>;
}

const SIDE = "?world=side";
const consent = (name: string) => ({ email: `${name}@example.com`, full_name: name });
const countOf = async ({ ask }: Gated, collection: string) =>
  (await ask("GET", `/state${SIDE}`)).body.collections[collection].length as number;

/** A number that is the one before or the one after, and after an answer the one after. */
const either =
  (of: (gated: Gated) => Promise<number>) =>
  async (gated: Gated, { was, will }: Json, isAnswered: boolean) =>
    expect(isAnswered ? [will] : [was, will]).toContain(await of(gated));

const consents = (gated: Gated) => countOf(gated, "consents");
const well = ({ status }: { status: number }) => status > 0 && status < 300;

export const WORKS: Record<string, Work> = {
  compaction: {
    async act(gated) {
      // Each writes the whole of a world to the log, and the worlds stay as large as they are.
      for (let tries = 0; !gated.wasMet() && tries < 2000; tries++) {
        const { status } = await gated.ask("POST", "/state/reset?world=scratch");
        if (status !== 200 && status !== 503) return false;
        if (tries % 8 === 0) await gated.book();
      }
      return false;
    },
  },
  booking: { act: async (gated) => (await gated.book()).status === 201 },
  rewind: {
    async prepare(gated) {
      await gated.ask("POST", `/acts/submitConsent${SIDE}`, consent("zero"));
      const will = await consents(gated);
      const to = (await gated.ask("GET", `/history${SIDE}`)).body.items.at(-1).seq;
      for (const name of ["one", "two"]) await gated.ask("POST", `/acts/submitConsent${SIDE}`, consent(name));
      return { to, was: will + 2, will };
    },
    act: async (gated, { to }) => well(await gated.ask("POST", `/rewind${SIDE}`, { to })),
    check: either(consents),
  },
  import: {
    async prepare(gated) {
      const { body: document } = await gated.ask("GET", `/state${SIDE}`);
      const will = document.collections.consents.length;
      await gated.ask("POST", `/acts/submitConsent${SIDE}`, consent("more"));
      return { document, was: will + 1, will };
    },
    act: async (gated, { document }) => well(await gated.ask("PUT", `/state${SIDE}`, document)),
    check: either(consents),
  },
  populate: {
    async prepare(gated) {
      await gated.ask("POST", `/state/reset${SIDE}`);
      const was = await countOf(gated, "bookings");
      return { was, will: was + 25 };
    },
    act: async (gated) => well(await gated.ask("POST", `/state/populate${SIDE}`, { bookings: 25 })),
    check: either((gated) => countOf(gated, "bookings")),
  },
  "saving a snapshot": {
    prepare: (gated) => gated.ask("DELETE", `/snapshots/kept${SIDE}`),
    act: async (gated) => well(await gated.ask("PUT", `/snapshots/kept${SIDE}`)),
    async check({ ask }, _, isAnswered) {
      const { items } = (await ask("GET", `/snapshots${SIDE}`)).body;
      const found = items.filter(({ name }: Json) => name === "kept");
      expect(found.length).toBeLessThanOrEqual(1);
      if (isAnswered) expect(found).toHaveLength(1);
      expect(found.every(({ saved_at }: Json) => saved_at !== "")).toBe(true);
    },
  },
  "removal of a world": {
    async prepare({ ask }) {
      await ask("POST", "/worlds", { id: "gone", fixture: "empty" });
      for (const name of ["one", "two"]) await ask("PUT", `/snapshots/${name}?world=gone`);
    },
    act: async ({ ask }) => well(await ask("DELETE", "/worlds/gone")),
    async check({ ask }, _, isAnswered) {
      const { items } = (await ask("GET", "/worlds")).body;
      const isThere = items.some(({ id }: Json) => id === "gone");
      if (isAnswered) expect(isThere).toBe(false);
      if (!isThere) await ask("POST", "/worlds", { id: "gone", fixture: "empty" });
      const snapshots = (await ask("GET", "/snapshots?world=gone")).body.items.length;
      expect(snapshots).toBe(isThere ? 2 : 0);
      await ask("DELETE", "/worlds/gone");
    },
  },
  stop: {
    async act({ served }) {
      await served.end("SIGTERM");
      return false;
    },
  },
  start: {
    async act(gated) {
      await gated.served.end("SIGKILL");
      await gated.restart().catch(() => undefined);
      return false;
    },
  },
};

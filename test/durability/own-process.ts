// A built sandbox in a process of its own, with a data file: bookings made through the public API, and whatever may happen to a
// process or its disk. One event has room for everybody.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bin, folder, type Run, type Started, startProgram, startSandboxCommand } from "../cli/run-sandbox.ts";

export interface OwnProcess {
  url: string;
  pid: number;
  file: string;
  client_id: string;
  client_secret: string;
  started: Started;
  /** A token, new for each start: it is what the process answers with that counts here. */
  token: string;
  act(name: string, input: object): Promise<void>;
  /** A request of the control surface that has to succeed. */
  control(method: string, path: string, input?: object): Promise<void>;
  /** One booking: the status of the answer (0: there was none), its id and its text. */
  book(): Promise<{ status: number; id: string; text: string }>;
  bookings(): Promise<string[]>;
  /** Everything, by collection. */
  state(): Promise<Record<string, { id: string; booking_id?: string }[]>>;
  end(signal: NodeJS.Signals): Promise<Run>;
  /** Sends SIGTERM; with the tenths of a second that the process saw until its end. */
  stop(): Promise<Run & { tenths: number }>;
}

let files = 0;
/** The path of a data file in a folder of its own. */
export const newFile = (): string => join(folder, `kept-${process.pid}-${++files}`, "world.json");

export const CLOCK = "2030-06-01T09:00:00Z";
const FIXED = ["--fixture", "empty", "--port", "0", "--json"];

interface Around {
  /** Under a limit for the size of files, in kB. */
  limit?: number;
  /** Under a parent that never asks how it ended, so that a dead one stays a zombie. */
  unreaped?: boolean;
  more?: readonly string[];
  /** Null: where the saved world stands. */
  clock?: string | null;
  environment?: Record<string, string>;
  /** Of every booking. */
  metadata?: Record<string, string>;
}

/** Where a process that is stopped writes how long it took: beside its folder, which may have to be empty. */
const tenthsOf = (file: string): string => `${join(file, "..")}.tenths`;
const counting = (file: string) => ({
  NODE_OPTIONS: `--import ${pathToFileURL("test/tenths.mjs")}`,
  TENTHS_FILE: tenthsOf(file),
});

export const startOn = (
  file: string,
  { limit, unreaped, more = [], clock = CLOCK, environment }: Around = {},
): Started => {
  const args = ["start", "--data", file, ...FIXED, ...(clock ? ["--clock", clock] : []), ...more];
  const by = (script: string) => startProgram("bash", ["-c", script, "bash", process.execPath, bin, ...args]);
  if (unreaped) return by('"$@" & exec sleep 600');
  return limit === undefined
    ? startSandboxCommand(args, { ...counting(file), ...environment })
    : by(`ulimit -f ${limit}; exec "$@"`);
};

export async function openOn(file: string, around: Around = {}): Promise<OwnProcess> {
  const started = startOn(file, around);
  const { url, pid, client_id, client_secret } = JSON.parse(
    // A warning about half a line may stand beside it.
    (await started.shows(/^\{.*\}$/m)).split("\n").find((line) => line.startsWith("{")) ?? "",
  );
  const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  const token = ((await answer.json()) as { access_token: string }).access_token;
  const known = { url, pid, file, client_id, client_secret, started, token };
  return {
    ...known,
    ...hands(url, token, around.metadata),
    end: (signal) => ended(started, signal),
    stop: () => stopped(started, file),
  };
}

/** As `openOn`, with the event that everybody books. */
export async function openNew({ file = newFile(), ...around }: Around & { file?: string } = {}): Promise<OwnProcess> {
  const made = await openOn(file, around);
  await furnish(made);
  return made;
}

/** The event that everybody books. */
export async function furnish(node: Pick<OwnProcess, "act">, day = "2030-06-02"): Promise<void> {
  const price = { currency: "DKK", value: 25000, exponent: 2 };
  const variant = { id: "var-adult", name: "Adult", price, vat_rate: "0.25" };
  await node.act("addLocation", { id: "loc-pier", timezone: "Europe/Copenhagen" });
  await node.act("createExperience", {
    id: "exp-tour",
    name: "Tour",
    location_ids: ["loc-pier"],
    ticket_variants: [variant],
  });
  const sessions = [{ start_time: `${day}T12:00:00`, end_time: `${day}T14:00:00` }];
  await node.act("createEvent", { id: "evt-noon", experience_id: "exp-tour", sessions, capacity: 1_000_000 });
}

export const INPUT = {
  event_id: "evt-noon",
  customer: {
    customer_type: "PRIVATE",
    name: "Anna Holm",
    email: "anna@example.com",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
  locale: "da",
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
};

function hands(
  url: string,
  token: string,
  metadata: Around["metadata"] = {},
): Pick<OwnProcess, "act" | "control" | "book" | "bookings" | "state"> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ ...INPUT, metadata });
  const control = async (method: string, path: string, input?: object) => {
    const answer = await fetch(`${url}/_sandbox${path}`, { method, headers, body: JSON.stringify(input) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  };
  return {
    control,
    act: (name, input) => control("POST", `/acts/${name}`, input),
    async book() {
      try {
        const answer = await fetch(`${url}/v1/bookings`, { method: "POST", headers, body });
        const text = await answer.text();
        return { status: answer.status, id: answer.ok ? JSON.parse(text).id : "", text };
      } catch {
        return { status: 0, id: "", text: "" };
      }
    },
    async state() {
      const { collections } = (await (await fetch(`${url}/_sandbox/state`)).json()) as {
        collections: Record<string, { id: string }[]>;
      };
      return collections;
    },
    async bookings() {
      const ids: string[] = [];
      for (let cursor = ""; ; ) {
        const answer = await fetch(`${url}/v1/bookings?limit=100${cursor && `&cursor=${cursor}`}`, { headers });
        const { items, next } = (await answer.json()) as { items: { id: string }[]; next?: string };
        ids.push(...items.map(({ id }) => id));
        if (!next) return ids;
        cursor = next;
      }
    },
  };
}

function ended(started: Started, signal: NodeJS.Signals): Promise<Run> {
  started.child.kill(signal);
  return started.ended;
}

async function stopped(started: Started, file: string): Promise<Run & { tenths: number }> {
  const run = await ended(started, "SIGTERM");
  const tenths = Number(readFileSync(tenthsOf(file), "utf8"));
  rmSync(tenthsOf(file));
  return { ...run, tenths };
}

/** Several clients that book one after another for as long as they are answered 201; what they were answered. */
export async function crowd(target: OwnProcess, clients: number, go: () => boolean) {
  const made: string[] = [];
  const refused: { status: number; text: string }[] = [];
  const client = async () => {
    while (go()) {
      const { status, id, text } = await target.book();
      if (status === 201) made.push(id);
      else {
        refused.push({ status, text });
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { made, refused };
}

export const removeFolderOf = (file: string): void => rmSync(join(file, ".."), { recursive: true, force: true });

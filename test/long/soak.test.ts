// Hours of use, made short: 200 requests a second with webhooks, a receiver that has stopped, readers of the stream of whom one reads
// nothing, clock moves, forks, exports and resets, on disk, for a minute or as many as SANDBOX_SOAK_MINUTES says. Nothing fails, and what
// is held once all is quiet does not grow.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import {
  agent,
  control,
  copyAndMove,
  type LoadTarget,
  load,
  PER_SECOND,
  prepare,
  type Receiver,
  readers,
  receiver,
  stoppedReceiver,
  tokenOf,
} from "./soak-load.ts";
import { halves, type Sample, type Verdict, verdictOn } from "./soak-verdict.ts";

/** Runs "dist/index.cjs". */
const CHILD = "test/long/soak-child.mjs";
const READERS = 4;
const MINUTES = Number(process.env.SANDBOX_SOAK_MINUTES ?? 1);

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** What the child says next; one that has ended says nothing more. */
function listenTo(child: ChildProcess): <T>() => Promise<T> {
  const gone = new AbortController();
  child.once("exit", (code, signal) => gone.abort(`the sandbox ended: ${code ?? signal}`));
  return async <T>() => (await once(child, "message", { signal: gone.signal }))[0] as T;
}

const counts = { bookings: 0, requests: 0, webhooks: 0, forks: 0, "clock moves": 0, "entries read": 0 };

async function cycle(target: LoadTarget, token: string, hook: Receiver, stopped: string): Promise<string[]> {
  await prepare(target, token, hook.url, stopped);
  const before = hook.heard();
  const streams = await readers(target, READERS);
  const { made, sent, wrong } = await load(target, token);
  for (let tries = 0; hook.heard() - before < made && tries < 400; tries++) await pause(25);
  const heard = hook.heard() - before;
  if (heard !== made) wrong.push(`${made} bookings, ${heard} messages`);
  const { forks, moves } = await copyAndMove(target);
  await control(target, "POST", "/state/reset");
  const read = streams.read().slice(0, -1);
  streams.close();
  if (Math.min(...read) < sent)
    wrong.push(`${sent} requests, and readers of the stream saw ${read.join(", ")} entries`);
  const now = {
    bookings: made,
    requests: sent,
    webhooks: heard,
    forks,
    "clock moves": moves,
    "entries read": Math.min(...read),
  };
  for (const [name, count] of Object.entries(now)) counts[name as keyof typeof counts] += count;
  return wrong;
}

/** What a long one held as time went on. */
function course(samples: readonly Sample[]): Record<string, string>[] {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const every = Math.ceil(samples.length / 15);
  const view = samples.filter((_, at) => at % every === 0 || at === samples.length - 1);
  return view.map(({ minute, held, code, rss }) => ({
    minute: minute.toFixed(1),
    "held MB": mb(held),
    "compiled MB": mb(code),
    "rss MB": mb(rss),
  }));
}

/** All that was measured, in one line. */
function reported(samples: readonly Sample[], { grown, unsure, perHour }: Verdict): string {
  const [first, second] = halves(samples);
  const at = [samples[0], second[0], samples.at(-1)];
  const mb = (of: "held" | "code" | "rss") => at.map((sample) => ((sample?.[of] ?? 0) / 1e6).toFixed(1)).join(" / ");
  const most = (of: "handles" | "files" | "sockets") =>
    [first, second].map((half) => Math.max(...half.map((sample) => sample[of]))).join(" / ");
  return [
    `soak of ${(samples.at(-1)?.minute ?? 0).toFixed(1)} min:`,
    `${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")};`,
    `MB held at start / half / end ${mb("held")} (compiled ${mb("code")}, rss ${mb("rss")});`,
    `second half ${grown.toFixed(2)} ± ${unsure.toFixed(2)} MB, ${perHour.toFixed(1)} MB an hour;`,
    `most in each half: handles ${most("handles")}, files ${most("files")}, sockets ${most("sockets")}`,
  ].join(" ");
}

it(`${MINUTES} minutes at ${PER_SECOND} requests a second leave nothing behind`, {
  timeout: (MINUTES + 2) * 60_000,
}, async () => {
  const child = fork(CHILD, { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  children.push(child);
  const next = listenTo(child);
  const target = await next<LoadTarget>();
  const hook = await receiver();
  const stopped = await stoppedReceiver();
  const token = await tokenOf(target);
  const samples: Sample[] = [];
  const wrong: string[] = [];
  const start = performance.now();
  const spent = () => (performance.now() - start) / 60_000;
  while (spent() < MINUTES && wrong.length === 0) {
    try {
      wrong.push(...(await cycle(target, token, hook, stopped)));
      child.send("measure");
      samples.push({ minute: spent(), ...(await next<Omit<Sample, "minute">>()) });
    } catch (error) {
      wrong.push(String((error as Error).cause ?? error));
    }
  }
  const verdict = verdictOn(samples);
  process.stdout.write(`${reported(samples, verdict)}\n`);
  if (MINUTES > 5) console.table(course(samples));
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(verdict.wrong).toEqual([]);

  const ended = once(child, "exit");
  child.send("stop");
  expect(await ended).toEqual([0, null]);
  agent.destroy();
  hook.close();
});

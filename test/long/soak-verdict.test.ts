// The judge of a soak sees a leak, short or long, and is not misled by noise.
import { describe, expect, it } from "vitest";
import { type Sample, verdictOn } from "./soak-verdict.ts";

const EVERY_SECONDS = 2.3;
const MB = 1e6;

/** Noise that is the same in every run; each value resembles the one before. */
function noise(): () => number {
  let [state, last] = [1, 0];
  return () => {
    state = (state * 48271) % 2147483647;
    last = 0.7 * last + (state / 2147483647 - 0.5);
    return last;
  };
}

/** A soak that warms up, with so many bytes lost at each cycle from then on. */
function soak(minutes: number, lost: number, scatter = 0.3): Sample[] {
  const next = noise();
  return Array.from({ length: Math.floor((minutes * 60) / EVERY_SECONDS) }, (_, cycle) => ({
    minute: (cycle * EVERY_SECONDS) / 60,
    held: 40 * MB - 5 * MB * Math.exp(-cycle / 3) + cycle * lost + next() * scatter * MB,
    code: 4 * MB,
    rss: 120 * MB,
    handles: 5 + (cycle % 3),
    files: 20,
    sockets: 30,
  }));
}

describe.each([1, 5, 60])("A soak of %i minutes", (minutes) => {
  it("that loses nothing is good", () => {
    expect(verdictOn(soak(minutes, 0)).wrong).toEqual([]);
  });

  // At 400 requests a cycle: a kilobyte for each in a minute, a few bytes for each in an hour.
  it.each(minutes === 60 ? [3000, 100_000] : [400_000])("that loses %i bytes a cycle is not", (lost) => {
    expect(verdictOn(soak(minutes, lost)).wrong).toEqual([expect.stringContaining("what is held grew")]);
  });

  it("that scatters too much to be judged is not", () => {
    expect(verdictOn(soak(minutes, 0, 40)).wrong.join()).toContain("could hide");
  });

  it("whose kept connections are all there only in the end is good", () => {
    const samples = soak(minutes, 0);
    const late = samples.map((sample, at) => ({ ...sample, sockets: at > samples.length / 2 ? 50 : 30 }));
    expect(verdictOn(late).wrong).toEqual([]);
  });

  it.each(["handles", "files", "sockets"] as const)("that leaves %s open is not", (of) => {
    const samples = soak(minutes, 0).map((sample, cycle) => ({ ...sample, [of]: sample[of] + cycle }));
    expect(verdictOn(samples).wrong).toEqual([expect.stringContaining(`${of} went from`)]);
  });
});

it("A soak of too few samples is not judged good", () => {
  expect(verdictOn(soak(0.2, 0)).wrong).toEqual([expect.stringContaining("too few")]);
});

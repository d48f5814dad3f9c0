// The pictures of docs/performance.md: drawn from the rows of the bench, as SVG that every reader takes, with each figure as text and
// each bar as long as its figure.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { drawn } from "../bench/pictures.mjs";
import { textOf } from "./markdown.ts";

const rate = (what: string, ours: number, express?: number, prism?: number) => ({
  what,
  ours,
  express,
  prism,
  goals: [],
});
const waits = { ours: { p50: 9, p99: 14 }, express: { p50: 8, p99: 12.5 } };
const bound = { goals: [{ goal: "cost of 1,000's ≤ 1.3 ×: 1.25" }] };
const groups = {
  requests: [
    { ...rate("GET <one> & all, 50 clients", 6000, 4000, 1000), waits },
    rate("GET <one> & all, 1 client", 3000, 2000, 900),
    rate("memory after all these requests", 900, 100, 200),
  ],
  sizes: [
    rate("memory with 1,000 bookings", 134),
    rate("get, 1,000 bookings, 50 clients", 4000),
    { ...rate("get, 1,000,000 bookings, 50 clients", 3200), ...bound },
    rate("create, 1,000 bookings, 50 clients", 2000),
    { ...rate("create, 1,000,000 bookings, 50 clients", 1600), ...bound },
  ],
  crowd: [{ ...rate("p99 of 500 clients, no pause (2200/s)", 1.84), waits: { ours: { p50: 210, p99: 1840 } } }],
};

const picture = (name: string): string => (drawn(groups).files as Record<string, string>)[name] ?? "";
const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, words]) => words);

/** What is open, or closed out of turn, or an ampersand that begins nothing. */
function problemsOf(svg: string): string[] {
  const open: string[] = [];
  const problems: string[] = svg.match(/&(?!(amp|lt|gt|quot);)/g) ?? [];
  for (const [, slash, name = ""] of svg.matchAll(/<(\/?)(\w+)(?: [\w-]+="[^"<]*")*>/g))
    if (!slash) open.push(name);
    else if (open.pop() !== name) problems.push(`</${name}>`);
  const rest = svg.replace(/<\/?\w+(?: [\w-]+="[^"<]*")*>/g, "");
  return [...problems, ...open, ...(rest.match(/[<>]/g) ?? []), ...(svg.match(/NaN|undefined|Infinity/g) ?? [])];
}

describe("The pictures of the bench", () => {
  it.each(Object.keys(drawn(groups).files))("%s is well-formed, and says what it shows", (name) => {
    const svg = picture(name);
    expect(problemsOf(svg)).toEqual([]);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*aria-labelledby="title describes"/);
    expect(svg).toMatch(/<title id="title">.+<\/title>\n<desc id="describes">.+<\/desc>/);
  });

  it("show the servers beside one another at 50 clients, bars in proportion", () => {
    const svg = picture("bench-peers-light.svg");
    const bars = [...svg.matchAll(/class="bar" .*?width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(bars.map((width) => width / 400)).toEqual([1, expect.closeTo(2 / 3, 3), expect.closeTo(1 / 6, 3)]);
    const figures = ["1.5 × (6000/s)", "1 × (4000/s)", "0.25 × (1000/s)"];
    const servers = ["sandbox", "bare Express", "prism-cli mock"];
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["GET &lt;one&gt; &amp; all", ...servers, ...figures]));
  });

  it("show the cost at each size against the goal, and no label on another", () => {
    const svg = picture("bench-sizes-dark.svg");
    const words = ["50 clients", "1,000", "1,000,000", "get 1.25 ×", "create 1.25 ×", "goal: at most 1.3 ×"];
    expect(textsOf(svg)).toEqual(expect.arrayContaining(words));
    const [one = 0, other = 0] = [...svg.matchAll(/y="([\d.]+)"[^>]*>(?:get|create) /g)].map(([, y]) => Number(y));
    expect(Math.abs(one - other)).toBeGreaterThanOrEqual(15);
  });

  it("show how long requests wait, also in words for a reader who has no picture", () => {
    const words = ["GET &lt;one&gt; &amp; all, 50 clients", "500 clients, no pause", "p50 210 ms, p99 1840 ms"];
    expect(textsOf(picture("bench-waits-light.svg"))).toEqual(expect.arrayContaining(words));
    expect(drawn(groups).markdown).toContain("GET &lt;one&gt; &amp; all, 50 clients: sandbox p50 9 ms");
    expect(drawn(groups).markdown).toContain("500 clients, no pause: sandbox p50 210 ms, p99 1840 ms.");
  });

  it("are left out without rows, which is said, and no document speaks of them", () => {
    const { files, markdown, missing } = drawn({ requests: [rate("token, 50 clients", 3000, 4000)] });
    expect(Object.values(files).filter(Boolean)).toHaveLength(2);
    expect(markdown.match(/<picture>/g)).toHaveLength(1);
    expect(missing.map((each: string) => /bench-\w+/.exec(each)?.[0])).toEqual(["bench-sizes", "bench-waits"]);
  });
});

it("Every picture that docs/performance.md shows is there", () => {
  const names = [...textOf("docs/performance.md").matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, name]) => name);
  expect(names.filter((name) => !existsSync(`docs/${name}`))).toEqual([]);
});

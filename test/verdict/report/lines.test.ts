// The verdict as JUnit's XML and in a terminal: exactly these lines.
import { expect, it } from "vitest";
import type { Verdict } from "../../../src/verdict/index.ts";
import { reporters, reportVerdict } from "../../../src/verdict/report/index.ts";
import { NO_VERDICT, RESULTS, verdictOf } from "./verdict-for-tests.ts";

const LOOK = { paint: (_: string, text: string) => text, width: 120 };
const lines = (name: string, verdict: Verdict) => (reporters[name]?.(reportVerdict(verdict), LOOK) ?? "").split("\n");

it("JUnit: each check is a case, and ignored or open ones are skipped", () => {
  const numbers = 'tests="6" failures="1" errors="0" skipped="3" time="192.000"';
  const more = (id: string) => `do: Write it otherwise.\nagain: sandbox check --only ${id} --seed 7 -- npm test`;
  const open = (id: string, time = "1.200") =>
    `    <testcase name="${id} What ${id} asks for" classname="sandbox check" time="${time}"`;
  expect(lines("junit", verdictOf(RESULTS)).join("\n")).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites name="sandbox check" ${numbers}>`,
      `  <testsuite name="sandbox check" ${numbers}>`,
      `${open("RETRY-01")}><failure message="after a lost response the program booked again: bkg-1 and bkg-2">${more("RETRY-01")}</failure><system-out>req-12: POST createBooking → 201, response lost, booking kept`,
      "output: Error: &lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; | `more`</system-out></testcase>",
      `${open("AUTH-02")}><system-out>warning: what was seen of AUTH-02\n${more("AUTH-02")}</system-out></testcase>`,
      `${open("HOOK-03")}><skipped message="undecided: what was seen of HOOK-03"/></testcase>`,
      `${open("TIME-01", "0.000")}><skipped message="not-exercised: what was seen of TIME-01"/></testcase>`,
      `${open("PAGE-02")}/>`,
      `${open("SYNC-01")}><skipped message="ignored until 2030-06-30: one call a day"/></testcase>`,
      "  </testsuite>\n</testsuites>\n",
    ].join("\n"),
  );
  expect(lines("junit", NO_VERDICT).slice(1, 4)).toEqual([
    '<testsuites name="sandbox check" tests="1" failures="0" errors="1" skipped="0" time="192.000">',
    '  <testsuite name="sandbox check" tests="1" failures="0" errors="1" skipped="0" time="192.000">',
    '    <testcase name="the program" classname="sandbox check"><error message="The program fails by itself, with exit code 4."/></testcase>',
  ]);
});

it("SARIF: each check is a rule, and known or ignored ones are marked", () => {
  const known = RESULTS.map((each) => (each.id === "AUTH-02" ? { ...each, known: true as const } : each));
  const { $schema, version, runs, ...others } = JSON.parse(lines("sarif", verdictOf(known)).join("\n"));
  expect($schema).toMatch(/^https:\/\/docs\.oasis-open\.org\/sarif\/.*\/sarif-schema-2\.1\.0\.json$/);
  expect(others).toEqual({});
  const [{ tool, invocations }] = runs;
  expect([tool.driver.name, tool.driver.rules[0], invocations]).toEqual([
    "sandbox check",
    {
      id: "RETRY-01",
      shortDescription: { text: "What RETRY-01 asks for" },
      fullDescription: { text: "The description says so." },
      help: { text: "Write it otherwise." },
      defaultConfiguration: { level: "error" },
    },
    [{ executionSuccessful: true, exitCode: 1, commandLine: "npm test" }],
  ]);
  expect([version, runs.length, runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)]).toEqual([
    "2.1.0",
    1,
    RESULTS.map(({ id }) => id),
  ]);
  const position = [{ physicalLocation: { artifactLocation: { uri: ".sandbox-verdict.yaml" } } }];
  const more = (result: { locations: unknown; message: unknown }) => {
    const { locations, message, ...rest } = result;
    expect(locations).toEqual(position);
    return rest;
  };
  const rated = (ruleId: string, ruleIndex: number, level: string, kind: string) => ({
    ruleId,
    ruleIndex,
    level,
    kind,
  });
  expect(runs[0].results.map(more)).toEqual([
    rated("RETRY-01", 0, "error", "fail"),
    { ...rated("AUTH-02", 1, "warning", "fail"), baselineState: "unchanged" },
    rated("HOOK-03", 2, "none", "review"),
    rated("TIME-01", 3, "none", "notApplicable"),
    rated("PAGE-02", 4, "none", "pass"),
    {
      ...rated("SYNC-01", 5, "warning", "fail"),
      suppressions: [{ kind: "external", justification: "one call a day" }],
    },
  ]);
  expect(runs[0].results[0].message.text.split("\n")).toEqual([
    "after a lost response the program booked again: bkg-1 and bkg-2",
    "req-12: POST createBooking → 201, response lost, booking kept",
    'output: Error: <img src=x onerror="alert(1)"> & | `more`',
    "again: sandbox check --only RETRY-01 --seed 7 -- npm test",
  ]);
  const [none] = JSON.parse(lines("sarif", NO_VERDICT).join("\n")).runs;
  const message = { text: "The program fails by itself, with exit code 4." };
  expect([none.tool.driver.rules, none.results, none.invocations]).toEqual([
    [],
    [],
    [
      {
        executionSuccessful: false,
        exitCode: 3,
        commandLine: "npm test",
        toolExecutionNotifications: [{ level: "error", message }],
      },
    ],
  ]);
});

it("JUnit: characters that XML can't contain are omitted, and no output of a program ends an element", () => {
  const says = "a\u0000b\u001b[31mc\ufffed ]]> <x> & \ud800 end";
  const evidence = [{ id: "output", says }];
  const text = lines("junit", verdictOf(RESULTS.slice(0, 1).map((each) => ({ ...each, says, evidence })))).join("\n");
  const written = "ab[31mcd ]]&gt; &lt;x&gt; &amp;  end";
  expect(text).toContain(`<failure message="${written}">`);
  expect(text).toContain(`<system-out>output: ${written}</system-out>`);
});

it("A terminal: failures first, and ignored checks only by name", () => {
  expect(lines("spec", verdictOf(RESULTS))).toEqual([
    "sandbox check -- npm test   seed 7, 6 checks, 3 m 12 s",
    " FAIL RETRY-01 after a lost response the program booked again: bkg-1 and bkg-2",
    "      req-12  POST createBooking → 201, response lost, booking kept",
    '      output  Error: <img src=x onerror="alert(1)"> & | `more`',
    "      do: Write it otherwise.",
    "      again: sandbox check --only RETRY-01 --seed 7 -- npm test",
    " WARN AUTH-02  what was seen of AUTH-02",
    "      do: Write it otherwise.",
    "      again: sandbox check --only AUTH-02 --seed 7 -- npm test",
    " WARN SYNC-01  what was seen of SYNC-01 (ignored until 2030-06-30: one call a day)",
    " ?    HOOK-03  what was seen of HOOK-03",
    '      add --probe "command that prints its state as JSON"',
    " –    TIME-01  what was seen of TIME-01",
    "      what it takes: sandbox check explain TIME-01",
    " 1 pass · 1 fail · 1 warn · 1 undecided · 1 not exercised · 1 ignored       exit 1",
    "",
  ]);
});

it("counts one check as one", () => {
  const one = verdictOf(RESULTS.slice(0, 1));
  expect(lines("spec", one)[0]).toBe("sandbox check -- npm test   seed 7, 1 check, 3 m 12 s");
  expect(lines("markdown", one).join("\n")).toContain("seed 7, 1 check, 3 m 12 s");
});

// Instants, local times and durations. Assumptions: local-time (RFC 5545 §3.3.5), timestamps.
import { describe, expect, it } from "vitest";
import {
  after,
  before,
  instantToLocal,
  isDuration,
  isLocal,
  localToInstant,
  readInstant,
} from "../../../src/engine/domain/kernel/instant.ts";

describe("A local time", () => {
  it.each([
    ["2030-06-01T11:00:00", "Europe/Copenhagen", "2030-06-01T09:00:00.000Z", "in summer"],
    ["2030-01-01T11:00:00", "Europe/Copenhagen", "2030-01-01T10:00:00.000Z", "in winter"],
    ["2030-03-31T02:30:00", "Europe/Copenhagen", "2030-03-31T01:30:00.000Z", "skipped, so moved forward by the gap"],
    ["2030-10-27T02:30:00", "Europe/Copenhagen", "2030-10-27T00:30:00.000Z", "repeated, so the first"],
    ["2030-04-07T01:45:00", "Australia/Lord_Howe", "2030-04-06T14:45:00.000Z", "repeated for half an hour"],
    ["2030-06-01T11:00", "UTC", "2030-06-01T11:00:00.000Z", "without seconds"],
  ])("%s in %s is %s: %s", (local, zone, instant) => {
    expect(localToInstant(local, zone)).toBe(instant);
  });

  it("is read back from its instant", () => {
    expect(instantToLocal("2030-03-31T01:30:00.000Z", "Europe/Copenhagen")).toBe("2030-03-31T03:30:00");
  });
});

describe("A duration", () => {
  it.each([
    ["2030-01-31T10:00:00.000Z", "P1M", "2030-02-28T10:00:00.000Z"],
    ["2032-01-31T10:00:00.000Z", "P1M", "2032-02-29T10:00:00.000Z"],
    ["2032-02-29T00:00:00.000Z", "P1Y", "2033-02-28T00:00:00.000Z"],
    ["2030-03-30T12:00:00.000Z", "P1D", "2030-03-31T12:00:00.000Z"],
    ["2030-06-01T09:00:00.000Z", "PT12H", "2030-06-01T21:00:00.000Z"],
    ["2030-06-01T09:00:00.000Z", "P1W", "2030-06-08T09:00:00.000Z"],
    ["9999-12-31T23:59:50.000Z", "PT1H", "9999-12-31T23:59:59.999Z"],
    ["9999-12-31T23:59:50.000Z", "P1M", "9999-12-31T23:59:59.999Z"],
    ["2030-06-01T09:00:00.000Z", "P1000000Y", "9999-12-31T23:59:59.999Z"],
    ["0000-01-01T00:00:10.000Z", "-PT1H", "0000-01-01T00:00:00.000Z"],
    ["2030-06-01T09:00:00.000Z", "-P1000000Y", "0000-01-01T00:00:00.000Z"],
  ])("after %s, %s is over at %s", (from, duration, end) => {
    expect(after(from, duration)).toBe(end);
  });

  it("can be counted back", () => {
    expect(before("2030-03-31T10:00:00.000Z", "P1M")).toBe("2030-02-28T10:00:00.000Z");
  });
});

describe("What is read", () => {
  it.each([
    ["2030-06-01T11:00:00+02:00", "2030-06-01T09:00:00.000Z"],
    ["2030-06-01T09:00:00.123456Z", "2030-06-01T09:00:00.123Z"],
    ["2030-06-01t09:00:00z", "2030-06-01T09:00:00.000Z"],
    ["2030-06-01T09:00:00", undefined],
    ["2030-06-01 09:00:00Z", undefined],
    ["2030-06-01T09Z", undefined],
    ["2030-06-01T09:00:00+0200", undefined],
    ["2030-06-01T11:00:00+02:00[Europe/Copenhagen]", undefined],
    ["2030-02-30T09:00:00Z", undefined],
    ["tomorrow", undefined],
  ])("%s is the instant %s", (text, instant) => {
    expect(readInstant(text)).toBe(instant);
  });

  it.each([
    ["2030-06-01T09:00", true],
    ["2030-06-01T09:00:00", true],
    ["2030-02-30T09:00:00", false],
    ["2030-06-01T09:00:00Z", false],
  ])("%s is a local time: %s", (text, is) => {
    expect(isLocal(text)).toBe(is);
  });

  it.each([
    ["PT2H", true],
    ["P1D", true],
    ["2H", false],
    ["", false],
  ])("%s is a duration: %s", (text, is) => {
    expect(isDuration(text)).toBe(is);
  });
});

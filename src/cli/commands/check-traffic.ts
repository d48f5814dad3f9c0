// sandbox check traffic: compares recorded traffic of the real service with the API description.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../../platform/bounded-file.ts";
import type { TrafficComparison } from "../../verdict/traffic/index.ts";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { Misuse, readInput } from "../failure.ts";
import { checkReportOption, openCheckReport } from "../reports.ts";

export const checkTraffic: Command = {
  name: "traffic",
  summary: "Compare a HAR file with the API description.",
  arguments: [["<file...>", "HAR files, as browsers, proxies and HTTP tools export them, or folders of them."]],
  options: [
    option.list("host", "a,b", "Hosts of the service in the files; default: the one with the most known operations."),
    checkReportOption,
    jsonOption,
  ],
  epilogue: [
    "Nothing is sent. The report contains only names of the API description, statuses and",
    "positions in the files. It has no tokens, secrets, ids or names of people.",
    "Exit codes: 0 no difference, 1 a difference, 2 wrong usage.",
    "",
    "  sandbox check traffic preview.har",
  ].join("\n"),
  run: compareFiles,
};

async function compareFiles(call: Call): Promise<number> {
  const { args, given } = call;
  const write = openCheckReport(call);
  const { compareTraffic, readHar, HarError, reportTraffic } = await import("../../verdict/traffic/index.ts");
  const { patchDocument } = await import("../../sandbox.ts");
  const { withoutUnions } = await import("../../contract/document/without-unions.mjs");
  // HAR files are large; the limit keeps a wrong file from filling the memory.
  const read = (file: string) => readHar(readBounded(file, { most: 512 * 1024 * 1024 }), file);
  const calls = args.flatMap(findFiles).flatMap((file) => readInput(() => read(file), file, "", HarError));
  const document = withoutUnions(patchDocument([])) as Record<string, unknown>;
  const comparison = compareTraffic(calls, document, given.list("host"));
  // A file without requests to the service has no differences, but that must not count as success.
  if (comparison.calls === 0) throw new Misuse(describeOtherTraffic(comparison, args));
  return write(reportTraffic(comparison, args));
}

/** Replaces a folder by the HAR files directly in it, sorted, because the report names the first place of a difference. */
function findFiles(path: string): string[] {
  if (!existsSync(path)) throw new Misuse(`There is no ${path}. Name a HAR file or a folder of HAR files.`);
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path).filter((name) => name.toLowerCase().endsWith(".har"));
  if (files.length === 0) throw new Misuse(`${path} contains no .har file. Export traffic as HAR into it.`);
  return files.sort().map((name) => join(path, name));
}

function describeOtherTraffic({ left_out }: TrafficComparison, files: readonly string[]): string {
  const hosts = left_out.map(({ host }) => host).slice(0, 10);
  const seen = hosts.length > 0 ? ` It has requests to ${hosts.join(", ")}.` : "";
  return `${files.join(", ")} has no request to an operation of the service.${seen} Its paths begin like /v1/bookings. Name the host of the service with --host.`;
}

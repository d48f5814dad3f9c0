// Implements --report FORMAT[=FILE]: selects the formats of a report and their files. Without a file, the report goes to stdout.
import type { CheckReport } from "../verdict/report/index.ts";
import type { Call } from "./command.ts";
import { Misuse, rejectUnknown } from "./failure.ts";
import { type Given, type Option, option } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { assertWritable, writeOutput } from "./whole-file.ts";

interface ReportTarget {
  format: string;
  /** Undefined means stdout. */
  file?: string;
}

export interface ReportStyle {
  paint: Terminal["paint"];
  width: number;
}

export type Renderers<Found> = Readonly<Record<string, (found: Found, look: ReportStyle) => string>>;

export const createReportOption = (formats: readonly string[]): Option =>
  option.list(
    "report",
    "FORMAT[=FILE]",
    `Report as ${formats.join(", ").replace(/, (\w+)$/, " or $1")}, to stdout or into a file. Repeatable.`,
  );

/** Throws a Misuse for an unknown format, two reports on stdout, or a file that can't be written. */
function readTargets(given: Given, formats: readonly string[]): ReportTarget[] {
  const targets = given.list("report").map((text): ReportTarget => {
    const [format = "", ...rest] = text.split("=");
    if (!formats.includes(format))
      throw rejectUnknown("--report has no format", format, formats, `It takes ${formats.join(", ")}.`);
    const file = rest.join("=");
    if (rest.length === 0) return { format };
    if (file === "")
      throw new Misuse(`--report ${text} has no file name. Write it as --report ${format}=report.${format}.`);
    assertWritable("--report", file);
    return { format, file };
  });
  if (given.flag("json")) targets.push({ format: "json" });
  const onStdout = [...new Set(targets.filter(({ file }) => file === undefined).map(({ format }) => format))];
  if (onStdout.length > 1)
    throw new Misuse(
      `${onStdout.join(" and ")} can't both go to stdout. Give one a file: --report ${onStdout[0]}=FILE.`,
    );
  return [
    ...(onStdout.length === 0 ? ["spec"] : onStdout).map((format) => ({ format })),
    ...targets.filter(({ file }) => file),
  ];
}

/** The number of columns for a file, or for a stdout that is not a terminal. */
const FILE_WIDTH = 120;
const FILE_STYLE: ReportStyle = { paint: (_style, written) => written, width: FILE_WIDTH };

/** Call it before the work begins, because it checks the options. Returns a function that writes the reports. */
export function openReports({ given, terminal }: Pick<Call, "given" | "terminal">, formats: readonly string[]) {
  const targets = readTargets(given, formats);
  return <Found>(found: Found, renderers: Renderers<Found>): void => {
    const look = { paint: terminal.paint, width: Number.isFinite(terminal.width) ? terminal.width : FILE_WIDTH };
    for (const { format, file } of targets) {
      const text = renderers[format]?.(found, file === undefined ? look : FILE_STYLE) ?? "";
      if (file === undefined) terminal.write(text);
      else {
        writeOutput(file, text);
        terminal.say(`Wrote ${file}.`);
      }
    }
  };
}

/** The report formats of all checks. */
const CHECK_FORMATS = ["spec", "json", "junit", "html", "markdown", "sarif"];

export const checkReportOption = createReportOption(CHECK_FORMATS);

/** The same for a check. The returned function returns the exit code, too. */
export function openCheckReport(call: Call): (found: CheckReport) => Promise<number> {
  const write = openReports(call, CHECK_FORMATS);
  return async (found) => {
    const { reporters } = await import("../verdict/report/index.ts");
    write(found, reporters);
    return found.exit_code;
  };
}

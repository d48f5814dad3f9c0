// The figures as they come: judged in one place, and at the end one table.
import { cpus } from "node:os";

export const rounded = (value) => (value >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));

const HOLDS = { "≥": (value, bound) => value >= bound, "≤": (value, bound) => value <= bound };

/** "yes", or by how much not and why. */
function verdict(value, sign, bound, why) {
  if (HOLDS[sign](value, bound)) return "yes";
  return `no, by ${rounded(Math.abs(value - bound))}${why ? `: ${why}` : ""}`;
}

/** `groups`: name → rows, as an earlier run left those that are not measured now. */
export function makeReport(groups = {}) {
  let rows = [];

  /** `ours`, `express` and `prism` are figures of one unit; `goals` are judged one by one: [what, value, sign, bound, unit, why it may be missed].
   * `waits`, for a picture: server → its percentiles in milliseconds. */
  function row(what, { ours, express, prism, unit = "", goals = [], waits }) {
    const judged = goals.map(([of, value, sign, bound, measure = "", why]) => ({
      of,
      value: rounded(value),
      goal: `${of ? `${of} ` : ""}${sign} ${bound}${measure}`,
      met: verdict(value, sign, bound, why),
    }));
    rows.push({ what, unit, ours, express, prism, goals: judged, waits });
    process.stderr.write(`${what}: ${cells(rows.at(-1)).slice(1).filter(Boolean).join(" | ")}\n`);
  }

  const begin = (group) => {
    rows = [];
    groups[group] = rows;
  };
  return {
    groups,
    begin,
    row,
    table: (title, order) =>
      tableOf(
        title,
        order.flatMap((group) => groups[group] ?? []),
      ),
  };
}

/** Beside a peer's figure: how many times that ours is. */
function beside(value, { ours, unit }) {
  return value === undefined ? "" : `${rounded(value)}${unit} (${rounded(ours / value)} ×)`;
}

function cells(row) {
  const { what, ours, unit, express, prism, goals } = row;
  const goal = goals.map(
    ({ goal, value }) => `${goal}${goals.length > 1 || value !== rounded(ours) ? `: ${value}` : ""}`,
  );
  const own = typeof ours === "number" ? `${rounded(ours)}${unit}` : ours;
  return [what, own, beside(express, row), beside(prism, row), goal.join("; "), goals.map(({ met }) => met).join("; ")];
}

function tableOf({ quick }, rows) {
  const line = (texts) => `| ${texts.join(" | ")} |`;
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}`;
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${machine}, Node ${process.version}${quick ? ", a quick run" : ""}; medians, in turns`,
    "with the peers; in brackets, how many times the peer's figure ours is.",
    "",
    line(["", "sandbox", "bare Express", "prism-cli mock", "goal", "met"]),
    "|---|---|---|---|---|---|",
    ...rows.map((row) => line(cells(row))),
    "",
  ].join("\n");
}

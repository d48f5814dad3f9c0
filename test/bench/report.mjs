// The figures as they come: judged in one place, and at the end one table.
import { cpus } from "node:os";

export const rounded = (value) => (value >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));

const HOLDS = { "≥": (value, bound) => value >= bound, "≤": (value, bound) => value <= bound };

/** "yes", or by how much not. */
function verdict(value, sign, bound) {
  return HOLDS[sign](value, bound) ? "yes" : `no, by ${rounded(Math.abs(value - bound))}`;
}

/** `groups`: name → rows, as an earlier run left those that are not measured now. */
export function makeReport(groups = {}) {
  let rows = [];

  /** `ours`, `express` and `prism` are figures of one unit; `goals` are judged one by one: [what, value, sign, bound, unit]. */
  function row(what, { ours, express, prism, unit = "", goals = [] }) {
    const judged = goals.map(([of, value, sign, bound, measure = ""]) => ({
      of,
      value: rounded(value),
      goal: `${of ? `${of} ` : ""}${sign} ${bound}${measure}`,
      met: verdict(value, sign, bound),
    }));
    rows.push({ what, unit, ours, express, prism, goals: judged });
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
    table: (title, order) => formatTable(title, listRows(order)),
    /** The rows with a goal, for the document. */
    summary: (title, order) =>
      formatTable(
        title,
        listRows(order).filter(({ goals }) => goals.length > 0),
      ),
  };

  function listRows(order) {
    return order.flatMap((group) => groups[group] ?? []);
  }
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

function formatTable({ quick }, rows) {
  const line = (texts) => `| ${texts.join(" | ")} |`;
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}`;
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${machine}, Node ${process.version}${quick ? ", a quick run" : ""}; medians.`,
    "In brackets: the sandbox's figure divided by the peer's.",
    "",
    line(["", "sandbox", "bare Express", "prism-cli mock", "goal", "met"]),
    "|---|---|---|---|---|---|",
    ...rows.map((row) => line(cells(row))),
    "",
  ].join("\n");
}

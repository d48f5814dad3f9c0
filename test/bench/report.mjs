// Collects the measured figures as rows, compares each with its goal and formats them as one Markdown table.
import { cpus } from "node:os";

export const roundFigure = (value) => (value >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));

/** Returns "yes", or how far the value is from the goal. */
function compareWithGoal({ value, sign, bound }) {
  const isMet = sign === "≥" ? value >= bound : value <= bound;
  return isMet ? "yes" : `no, by ${roundFigure(Math.abs(value - bound))}`;
}

/** A goal: `of` names the compared figure where it is not the row's own; `value` is compared with `bound` by `sign`. */
export function createReport(earlierGroups = {}) {
  const groups = earlierGroups;
  let rows = [];
  return {
    groups,
    beginGroup(name) {
      rows = [];
      groups[name] = rows;
    },
    addRow(title, { ours, express, unit = "", goals = [] }) {
      const judged = goals.map((goal) => ({
        goal: `${goal.of ? `${goal.of} ` : ""}${goal.sign} ${goal.bound}${goal.unit ?? unit}`,
        value: goal.of ? `${roundFigure(goal.value)}${goal.unit ?? unit}` : "",
        met: compareWithGoal(goal),
      }));
      const row = { title, ours, express, unit, goals: judged };
      rows.push(row);
      process.stderr.write(`${formatCells(row).filter(Boolean).join(" | ")}\n`);
    },
    formatTable(isQuick, order) {
      return formatTable(
        isQuick,
        order.flatMap((name) => groups[name] ?? []),
      );
    },
  };
}

function formatCells({ title, ours, express, unit, goals }) {
  const peer = express === undefined ? "" : `${roundFigure(express)}${unit} (${roundFigure(ours / express)} ×)`;
  const texts = goals.map(({ goal, value }) => (value ? `${goal}: ${value}` : goal));
  return [title, `${roundFigure(ours)}${unit}`, peer, texts.join("; "), goals.map(({ met }) => met).join("; ")];
}

function formatTable(isQuick, rows) {
  const formatLine = (cells) => `| ${cells.join(" | ")} |`;
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`;
  const date = new Date().toISOString().slice(0, 10);
  return [
    `Measured ${date} on ${machine}, Node ${process.version}${isQuick ? ", a quick run" : ""}. Figures are medians.`,
    "In brackets: our figure divided by that of bare Express.",
    "",
    formatLine(["", "sandbox", "bare Express", "goal", "met"]),
    "|---|---|---|---|---|",
    ...rows.map((row) => formatLine(formatCells(row))),
    "",
  ].join("\n");
}

// The picture of what a request costs as the world grows, in times of what it costs in the smallest one: a panel for each number of clients.
import { rounded } from "./report.mjs";
import { line, tag, text } from "./svg.mjs";

const [LEFT, RIGHT, HIGH, HEAD, PANEL] = [56, 462, 150, 64, 216];
const SIZED = /^(.+), ([\d,]+) bookings, (\d+) clients?$/;

/** Clients → what is asked → its cost at each size: [size, times that of the smallest]. */
function costs(rows) {
  const found = {};
  for (const { what, ours } of rows) {
    const [, asked, size, clients] = SIZED.exec(what) ?? [];
    if (!asked || !(ours > 0)) continue;
    found[clients] ??= {};
    found[clients][asked] ??= [];
    found[clients][asked].push([Number(size.replaceAll(",", "")), ours]);
  }
  for (const requested of Object.values(found))
    for (const [what, points] of Object.entries(requested)) {
      const [[, small]] = points;
      if (points.length < 2) delete requested[what];
      else requested[what] = points.map(([size, rate]) => [size, small / rate]);
    }
  return Object.entries(found)
    .filter(([, asked]) => Object.keys(asked).length > 0)
    .sort(([one], [other]) => other - one);
}

/** Labels that would lie on one another move apart, each pair by the half of what it lacks, until all have room. */
function apart(ends) {
  const sorted = ends.toSorted((one, other) => one.y - other.y).map((end) => ({ ...end }));
  for (let turn = 0; turn < 100; turn++)
    for (const [place, lower] of sorted.entries()) {
      const upper = sorted[place - 1];
      const lack = upper ? Math.max(0, 16 - (lower.y - upper.y)) / 2 : 0;
      if (lack === 0) continue;
      upper.y -= lack;
      lower.y += lack;
    }
  return sorted;
}

/** The frame of a panel whose plot ends at `bottom`: costs upwards, sizes to the right in a logarithmic scale. */
function scaleOf({ sizes, most, goal }, bottom) {
  const [low, high] = [Math.log(sizes[0]), Math.log(sizes.at(-1))];
  const x = (size) => LEFT + ((Math.log(size) - low) / (high - low)) * (RIGHT - LEFT);
  return { sizes, most, goal, bottom, x, y: (cost) => bottom - (cost / most) * HIGH };
}

function axes({ sizes, most, goal, bottom, x, y }, theme) {
  const halves = Array.from({ length: most * 2 + 1 }, (_, half) => half / 2);
  const across = (cost) => line([LEFT, y(cost)], [RIGHT, y(cost)], theme.grid);
  const limit = goal
    ? [
        line([LEFT, y(goal)], [RIGHT, y(goal)], theme.soft, { "stroke-dasharray": "4 3" }),
        text(LEFT + 6, y(goal) - 5, `goal: at most ${goal} ×`, theme.soft),
      ]
    : [];
  return [
    ...halves.map(across),
    ...halves.map((cost) => text(LEFT - 8, y(cost) + 4, `${cost} ×`, theme.soft, { "text-anchor": "end" })),
    ...sizes.map((size) =>
      text(x(size), bottom + 18, size.toLocaleString("en"), theme.soft, { "text-anchor": "middle" }),
    ),
    ...limit,
  ];
}

const clientsOf = (count) => `${count} client${count === "1" ? "" : "s"}`;

function panel([clients, asked], top, found, theme) {
  const scale = scaleOf(found, top + 24 + HIGH);
  const { x, y } = scale;
  const curves = Object.entries(asked).map(([what, points], index) => ({
    what: `${what} ${rounded(points.at(-1)[1])} ×`,
    y: y(points.at(-1)[1]),
    end: x(points.at(-1)[0]),
    color: theme.lines[index % theme.lines.length],
    points: points.map(([size, cost]) => [x(size), y(cost)]),
  }));
  return [
    text(16, top + 12, clientsOf(clients), theme.ink, { "font-weight": 600 }),
    ...axes(scale, theme),
    ...curves.flatMap(({ points, color }) => [
      tag("polyline", {
        points: points.map((point) => point.map(Math.round).join(",")).join(" "),
        fill: "none",
        stroke: color,
        "stroke-width": 2,
      }),
      ...points.map(([cx, cy]) => tag("circle", { cx, cy, r: 3, fill: color })),
    ]),
    ...apart(curves).map(({ what, y, end, color }) => text(end + 14, y + 4, what, color, { "font-weight": 600 })),
  ];
}

export function sizes({ sizes: rows = [] }) {
  const panels = costs(rows);
  if (panels.length === 0) return undefined;
  const points = panels.flatMap(([, asked]) => Object.values(asked)).flat();
  const [, bound] =
    /cost of .+ ≤ ([\d.]+)/.exec(rows.flatMap(({ goals }) => goals.map(({ goal }) => goal)).join("\n")) ?? [];
  const found = {
    sizes: [...new Set(points.map(([size]) => size))].sort((one, other) => one - other),
    most: Math.max(1.5, Math.ceil(Math.max(...points.map(([, cost]) => cost)) * 2) / 2),
    goal: Number(bound ?? 0),
  };
  const spoken = (points) =>
    points.map(([size, cost]) => `${rounded(cost)} × with ${size.toLocaleString("en")} bookings`);
  return {
    title: "The cost of a request as the world grows",
    subtitle: `bookings in the world, logarithmic; time for a request, in times of that with ${found.sizes[0].toLocaleString("en")}`,
    describes: panels.flatMap(([clients, asked]) =>
      Object.entries(asked).map(([what, points]) => `${what}, ${clientsOf(clients)}: ${spoken(points).join(", ")}.`),
    ),
    height: HEAD + panels.length * PANEL,
    draw: (theme) => panels.flatMap((each, index) => panel(each, HEAD + index * PANEL, found, theme)),
  };
}

// Two pictures of the sandbox beside its peers, group by group: how many requests each answers in a second, and how long its requests wait.
import { rounded } from "./report.mjs";
import { halo, line, tag, text } from "./svg.mjs";

const SERVERS = { ours: "sandbox", express: "bare Express", prism: "prism-cli mock" };
const [HEAD, LEFT, GROUP, PITCH] = [64, 124, 30, 17];
const MANY = ", 50 clients";

/** One group of lines below another, each under its own heading. `drawn` are those of one group: [server, what it draws at its height]. */
function grouped(groups, theme) {
  let y = HEAD;
  return groups.flatMap(({ heading, drawn }) => {
    const top = y;
    y += GROUP + drawn.length * PITCH;
    const lines = drawn.flatMap(([server, at], index) => {
      const middle = top + 27 + index * PITCH;
      return [
        text(LEFT - 8, middle + 4, SERVERS[server], theme.soft, { "text-anchor": "end", ...halo(theme) }),
        ...at(middle),
      ];
    });
    return [text(16, top + 13, heading, theme.ink, { "font-weight": 600, ...halo(theme) }), ...lines];
  });
}

const heightOf = (groups) => HEAD + groups.reduce((sum, { length }) => sum + GROUP + length * PITCH, 8);

export function rates({ requests = [] }) {
  const rows = requests.filter(({ what, express }) => what.endsWith(MANY) && express > 0);
  if (rows.length === 0) return undefined;
  const kinds = rows.map(({ what, ...row }) => ({
    heading: what.slice(0, -MANY.length).replaceAll("`", ""),
    bars: Object.keys(SERVERS)
      .filter((server) => row[server] > 0)
      .map((server) => ({ server, times: row[server] / row.express, rate: row[server] })),
  }));
  const wide = 400 / Math.max(...kinds.flatMap(({ bars }) => bars.map(({ times }) => times)));
  const words = ({ times, rate }) => `${rounded(times)} × (${rounded(rate)}/s)`;
  const height = heightOf(kinds.map(({ bars }) => bars));
  const one = { "stroke-dasharray": "3 3" };
  const bar = (each, theme) => (y) => [
    tag("rect", { class: "bar", x: LEFT, y: y - 6, width: each.times * wide, height: 12, fill: theme[each.server] }),
    text(LEFT + each.times * wide + 6, y + 4, words(each), theme.ink, halo(theme)),
  ];
  return {
    title: "Requests a second, beside peers",
    subtitle: "50 clients; how many times the requests of bare Express, which answers constant JSON",
    describes: kinds.map(
      ({ heading, bars }) => `${heading}: ${bars.map((each) => `${SERVERS[each.server]} ${words(each)}`).join(", ")}.`,
    ),
    height,
    draw: (theme) => [
      line([LEFT + wide, HEAD], [LEFT + wide, height - 8], theme.grid, one),
      ...grouped(
        kinds.map(({ heading, bars }) => ({ heading, drawn: bars.map((each) => [each.server, bar(each, theme)]) })),
        theme,
      ),
    ],
  };
}

/** How many powers of ten of a millisecond the longest wait needs. */
const decadesOf = (spans) => Math.max(1, Math.ceil(Math.log10(Math.max(...spans.map(({ p99 }) => p99)))));
const tens = (decades, x, height, theme) =>
  Array.from({ length: decades + 1 }, (_, power) => 10 ** power).flatMap((ms) => [
    line([x(ms), HEAD], [x(ms), height - 24], theme.grid),
    text(x(ms), height - 8, `${ms.toLocaleString("en")} ms`, theme.soft, { "text-anchor": "middle" }),
  ]);
const named = (what) => what.replace(/^p99 of | \(\d+\/s\)$/g, "").replaceAll("`", "");

/** From the wait that half of the requests stay below to the one that all but a hundredth stay below; the scale is logarithmic. */
export function waits({ requests = [], crowd = [] }) {
  const rows = [...requests, ...crowd].filter((row) => row.waits);
  if (rows.length === 0) return undefined;
  const groups = rows.map(({ what, waits }) => ({
    heading: named(what),
    spans: Object.keys(SERVERS)
      .filter((server) => waits[server])
      .map((server) => ({ server, ...waits[server] })),
  }));
  const decades = decadesOf(groups.flatMap(({ spans }) => spans));
  const x = (ms) => LEFT + (Math.log10(Math.max(1, ms)) / decades) * 390;
  const words = ({ p50, p99 }) => `p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms`;
  const height = heightOf(groups.map(({ spans }) => spans)) + 16;
  const span = (each, theme) => (y) => [
    line([x(each.p50), y], [x(each.p99), y], theme[each.server], { "stroke-width": 4 }),
    ...[each.p50, each.p99].map((ms) => tag("circle", { cx: x(ms), cy: y, r: 5, fill: theme[each.server] })),
    text(x(each.p99) + 10, y + 4, words(each), theme.ink, halo(theme)),
  ];
  return {
    title: "How long requests wait under load",
    subtitle: "p50 to p99, logarithmic; what clients see",
    describes: groups.map(
      ({ heading, spans }) =>
        `${heading}: ${spans.map((each) => `${SERVERS[each.server]} ${words(each)}`).join("; ")}.`,
    ),
    height,
    draw: (theme) => {
      const drawn = groups.map(({ heading, spans }) => ({
        heading,
        drawn: spans.map((each) => [each.server, span(each, theme)]),
      }));
      return [...tens(decades, x, height, theme), ...grouped(drawn, theme)];
    },
  };
}

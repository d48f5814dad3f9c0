// The elements of which the pictures of the bench are made: plain SVG with text as text, in the colours of a light or a dark page.
export const WIDTH = 700;

/** As GitHub's own pages have them. `lines` are told apart by their labels too. */
export const THEMES = {
  light: {
    page: "#ffffff",
    ink: "#1f2328",
    soft: "#59636e",
    grid: "#d1d9e0",
    ours: "#0969da",
    express: "#818b98",
    prism: "#bc4c00",
    lines: ["#0969da", "#bc4c00", "#1a7f37", "#8250df"],
  },
  dark: {
    page: "#0d1117",
    ink: "#f0f6fc",
    soft: "#9198a1",
    grid: "#3d444d",
    ours: "#4493f8",
    express: "#9198a1",
    prism: "#f0883e",
    lines: ["#4493f8", "#f0883e", "#3fb950", "#ab7df8"],
  },
};

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);
const attribute = ([name, value]) =>
  ` ${name}="${escaped(typeof value === "number" ? Math.round(value * 10) / 10 : value)}"`;

export const tag = (name, attributes, inside = "") =>
  `<${name}${Object.entries(attributes).map(attribute).join("")}>${inside}</${name}>`;
export const text = (x, y, words, fill, more = {}) => tag("text", { x, y, fill, ...more }, escaped(words));
export const line = ([x1, y1], [x2, y2], stroke, more = {}) => tag("line", { x1, y1, x2, y2, stroke, ...more });

/** What a text has that lies on lines: the page shows around its letters. */
export const halo = ({ page }) => ({
  stroke: page,
  "stroke-width": 5,
  "stroke-linejoin": "round",
  "paint-order": "stroke",
});

/** A whole picture. `describes` is read out instead of it: a sentence for each of its rows. */
export function sheet({ title, subtitle, describes, height, draw }, theme) {
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height };
  const spoken = { role: "img", "aria-labelledby": "title describes" };
  const font = { "font-family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", "font-size": 13 };
  const parts = [
    tag("title", { id: "title" }, escaped(title)),
    tag("desc", { id: "describes" }, escaped(describes.join(" "))),
    tag("rect", { width: WIDTH, height, rx: 6, fill: theme.page }),
    text(16, 26, title, theme.ink, { "font-size": 16, "font-weight": 600 }),
    text(16, 45, subtitle, theme.soft),
    ...draw(theme),
  ];
  return `${tag("svg", { ...frame, ...spoken, ...font }, `\n${parts.join("\n")}\n`)}\n`;
}

// The table of the bench as pictures in docs/pictures, each for a light and a dark page, and the lines of a document that show them.
// Each is drawn from the rows that it finds, and left out where there are none.
import { rates, waits } from "./picture-of-peers.mjs";
import { sizes } from "./picture-of-sizes.mjs";
import { escaped, sheet, THEMES } from "./svg.mjs";

/** Name → how it is drawn, of which groups, and whether the table has its figures. */
const PICTURES = {
  peers: { of: rates, groups: ["requests"], tabled: true },
  sizes: { of: sizes, groups: ["sizes"], tabled: true },
  waits: { of: waits, groups: ["requests", "crowd"] },
};

/** GitHub follows the reader's theme here. The package has no pictures: there, and for who does not see, `words` stand in for them. */
const view = (name, words) =>
  [
    "<picture>",
    `  <source media="(prefers-color-scheme: dark)" srcset="pictures/bench-${name}-dark.svg">`,
    `  <img alt="${escaped(words)}" src="pictures/bench-${name}-light.svg" width="700">`,
    "</picture>",
  ].join("\n");

/** `groups` as dist/bench.json has them. `files`: name → SVG, or nothing for a picture without rows, which `missing` speaks of. */
export function drawn(groups) {
  const [files, markdown, missing] = [{}, [], []];
  for (const [name, { of, groups: needed, tabled }] of Object.entries(PICTURES)) {
    const picture = of(groups);
    for (const [theme, colors] of Object.entries(THEMES))
      files[`bench-${name}-${theme}.svg`] = picture && sheet(picture, colors);
    const figures = tabled ? "; the figures are in the table" : `: ${picture?.describes.join(" ")}`;
    if (picture) markdown.push(view(name, picture.title + figures));
    else
      missing.push(`There is no picture bench-${name}: no row for it. Measure with --only ${needed.join(" --only ")}.`);
  }
  return { files, markdown: markdown.map((each) => `${each}\n\n`).join(""), missing };
}

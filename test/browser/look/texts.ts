// The texts of a screen with where they stand: a label that is another one, or a block that has moved, is seen here, though it hardly
// changes how bright a part of the picture is.
import type { Page } from "playwright-core";

/** Ids, ports and the like are others in every run. */
const READ = `(() => {
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode.data.replace(/\\s+/g, " ").trim();
    if (text === "") continue;
    range.selectNodeContents(walker.currentNode);
    const { left, top, width, height, right, bottom } = range.getBoundingClientRect();
    if (width === 0 || height === 0 || right < 0 || bottom < 0 || left > innerWidth || top > innerHeight) continue;
    lines.push(Math.round(left) + " " + Math.round(top) + " " + text.replace(/[0-9a-f]{6,}|\\d{4,}/g, "#").slice(0, 80));
  }
  return lines.join("\\n");
})()`;

export const textsOf = (page: Page): Promise<string> => page.evaluate(READ);

/** In points: another font moves a text by less. */
const NEAR = 24;
const LINE = /^(-?\d+) (-?\d+) (.*)$/;

/** What there is in place of what was, at most so many of them. */
export function textsDiffering(texts: string, reference: string, most = 5): string[] {
  const [now, was] = [texts.split("\n"), reference.split("\n")];
  const differing = now.flatMap((line, at) => (isNear(line, was[at] ?? "") ? [] : [`${line}, and not ${was[at]}`]));
  const gone = was.slice(now.length).map((line) => `${line} is gone`);
  return [...differing, ...gone].slice(0, most);
}

function isNear(one: string, other: string): boolean {
  const [, left = "", top = "", text] = LINE.exec(one) ?? [];
  const [, wasLeft = "", wasTop = "", was] = LINE.exec(other) ?? [];
  const away = Math.max(Math.abs(Number(left) - Number(wasLeft)), Math.abs(Number(top) - Number(wasTop)));
  return text === was && away <= NEAR;
}

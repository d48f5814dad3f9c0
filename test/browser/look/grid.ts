// A picture as a grid of how bright its parts are, a letter each: small enough to be kept, coarse enough that another font hardly
// matters, and fine enough that a column that is gone, a row that breaks or a text over another is seen.
import type { Page } from "playwright-core";

const CELL = 32;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Run by the page, which can read pictures; its policy lets it load none. */
const read = (png: string) => `(async () => {
  const bytes = Uint8Array.from(atob("${png}"), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const across = Math.ceil(width / ${CELL});
  const [sums, counts] = [[], []];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [at, cell] = [(y * width + x) * 4, Math.floor(y / ${CELL}) * across + Math.floor(x / ${CELL})];
      const light = 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
      sums[cell] = (sums[cell] ?? 0) + light;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  const letters = sums.map((sum, cell) => "${LETTERS}"[Math.floor(sum / counts[cell] / 4)]).join("");
  return letters.replace(new RegExp(".{" + across + "}(?=.)", "g"), "$&\\n");
})()`;

export const gridOf = (page: Page, png: Buffer): Promise<string> => page.evaluate(read(png.toString("base64")));

/** In letters: a sixteenth of what lies between black and white. */
const FAR = 4;

/** The share of the parts that differ clearly, 0 to 1; another size is another picture. */
export function difference(one: string, other: string): number {
  if (one.length !== other.length) return 1;
  let far = 0;
  for (let at = 0; at < one.length; at++)
    if (Math.abs(LETTERS.indexOf(one.charAt(at)) - LETTERS.indexOf(other.charAt(at))) >= FAR) far++;
  return far / one.length;
}

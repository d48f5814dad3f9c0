// A small picture for the media of fixtures: sky, sun and water, in colours that follow from its name, so that two pictures differ.
// PNG, RFC 2083: one byte a pixel, an index into a palette.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const [WIDTH, HEIGHT] = [320, 180];
/** Steps of the sky, then of the water; the sun is the last colour. */
const STEPS = 24;

/** The same name always gives the same bytes. */
export function picture(name: string): Buffer {
  const seed = createHash("sha256").update(name).digest();
  const at = (index: number) => seed[index] ?? 0;
  const [sunX, sunY, radius] = [40 + (at(0) % 240), 30 + (at(1) % 50), 14 + (at(2) % 12)];
  const horizon = 100 + (at(3) % 30);
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    // The first byte of a row is its filter: none.
    const pixels = Buffer.alloc(WIDTH + 1);
    for (let x = 0; x < WIDTH; x++) {
      const isSun = y < horizon && (x - sunX) ** 2 + (y - sunY) ** 2 < radius ** 2;
      pixels[x + 1] = isSun ? 2 * STEPS : colourAt(y, horizon);
    }
    return pixels;
  });
  const hue = (at(4) * 360) / 256;
  // Two hues and the sun.
  const palette = [...fade(hue), ...fade(hue + 140), [255, 236, 170]].flat();
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  // Eight bits a pixel, by palette, not interlaced.
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette)),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function colourAt(y: number, horizon: number): number {
  if (y < horizon) return Math.floor((y / horizon) * STEPS);
  return STEPS + Math.floor(((y - horizon) / (HEIGHT - horizon)) * STEPS);
}

/** From dark to light in one hue. */
function fade(hue: number): number[][] {
  return Array.from({ length: STEPS }, (_, step) => {
    const light = 0.35 + (0.5 * step) / STEPS;
    return [0, 120, 240].map((shift) => {
      const wave = (Math.cos(((hue - shift) * Math.PI) / 180) + 1) / 2;
      return Math.round(255 * light * (0.55 + 0.45 * wave));
    });
  });
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  // Over type and data, not the length.
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

/** By the bit: pictures are small, and a table would be longer than this. */
function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

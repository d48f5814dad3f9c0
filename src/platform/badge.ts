// A badge for a README: one SVG without anything from outside.
import { html } from "./html.ts";

const COLOURS = { good: "#2e7d32", bad: "#c62828", few: "#9a6700", open: "#5f6368" } as const;
/** Of a letter, about. */
const LETTER = 6.6;

export function badgeSvg(label: string, text: string, colour: keyof typeof COLOURS): string {
  const left = Math.round(label.length * LETTER + 12);
  const width = left + Math.round(text.length * LETTER + 12);
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${text}">
<title>${label}: ${text}</title>
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${width - left}" height="20" fill="${COLOURS[colour]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="6" y="14">${label}</text><text x="${left + 6}" y="14">${text}</text></g>
</svg>
`.text;
}

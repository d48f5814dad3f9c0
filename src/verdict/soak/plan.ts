// The plan of a soak: what the host and the guests do and which weather there is, each at its instant, from the seed, the rates and the
// company alone. Equal seeds have equal plans; a step is named by its number, so that a part of a plan can be run again.
import type { Fault } from "../check.ts";
import { makers } from "./business.ts";
import type { Company } from "./company.ts";
import { type Business, business, type Draw, drawn, drawOf, type Weather, weather } from "./rates.ts";
import { DAY, HOUR, type Step } from "./step.ts";

export interface Planning {
  seed: string;
  days: number;
  rate: number;
  restarts: number;
  /** Rows of spec/soak.yaml that are left out, or of those that are always there. */
  without?: readonly Step["row"][];
}

/** The names that --without takes. */
export const ROWS: readonly Step["row"][] = [
  ...(Object.keys(business) as Business[]),
  ...(Object.keys(weather) as Weather[]),
  ...(["restart", "rotated-secret"] as const),
];

const MINUTE = 60_000;
/** Guests and hosts are awake, in hours of the day by UTC; weather comes at any time. */
const [OPENS, CLOSES] = [6, 21];

interface Occasion {
  at: number;
  row: Business | Weather;
  nth: number;
}

/** The company is changed as the plan goes on. Steps are sorted and numbered from 1. */
export function planOf(planning: Planning, company: Company): Step[] {
  const rows: [Business | Weather, number, boolean][] = [
    ...Object.entries(business).map(([row, { per_day }]) => [row as Business, per_day, true] as const),
    ...Object.entries(weather).map(([row, { per_day }]) => [row as Weather, per_day, false] as const),
  ].map(([row, perDay, isBusiness]) => [row, perDay, isBusiness]);
  const { without = [] } = planning;
  const occasions = rows
    .filter(([row]) => !without.includes(row))
    .flatMap(([row, perDay, isBusiness]) => occasionsOf(row, perDay, isBusiness, planning));
  const begins = company.now;
  const made = occasions.sort(inOrder).flatMap(({ at, row, nth }): Omit<Step, "number">[] => {
    // Each occasion draws from its own stream: leaving a row out changes no other.
    const draw = drawOf(`${planning.seed}/${row}/${nth}`);
    if (row in weather) return [{ at, row, does: [{ fault: faultOf(row as Weather, draw) }] }];
    company.now = begins + at;
    const does = makers[row as Business]({ company, draw, id: `soak-${row}-${nth}` });
    return does.length === 0 ? [] : [{ at, row, does }];
  });
  const always = [rotationOf(planning), ...restartsOf(planning)].filter(({ row }) => !without.includes(row));
  const all = [...always, ...made].sort((a, b) => a.at - b.at);
  return all.map((step, index) => ({ ...step, number: index + 1 }));
}

const inOrder = (a: Occasion, b: Occasion): number => a.at - b.at || (a.row < b.row ? -1 : 1);

function occasionsOf(row: Business | Weather, perDay: number, isBusiness: boolean, planning: Planning): Occasion[] {
  const { seed, days, rate } = planning;
  const draw = drawOf(`${seed}/${row}`);
  const found: Occasion[] = [];
  for (let day = 0; day < days; day++) {
    const wanted = perDay * rate;
    // A rate of 2.3 is two or three, three in three of ten days.
    const times = Math.floor(wanted) + (draw.share() < wanted % 1 ? 1 : 0);
    const [from, to] = isBusiness ? [OPENS * 60, CLOSES * 60] : [0, 24 * 60 - 1];
    for (let time = 0; time < times; time++)
      found.push({ at: day * DAY + draw.between(from, to) * MINUTE, row, nth: found.length + 1 });
  }
  return found;
}

function faultOf(row: Weather, draw: Draw): Fault {
  return { ...(drawn(weather[row].fault, draw) as Fault), name: row };
}

function rotationOf({ seed, days }: Planning): Omit<Step, "number"> {
  // The overlap of the two secrets ends somewhere between a fifth and three fifths of the soak.
  const hours = Math.round(days * 24 * (0.2 + 0.4 * drawOf(`${seed}/secret`).share()));
  return { at: 0, row: "rotated-secret", does: [{ rotate: `PT${hours}H` }] };
}

/** The program is away for some hours, never in the first tenth or in the last. */
function restartsOf({ seed, days, restarts }: Planning): Omit<Step, "number">[] {
  const draw = drawOf(`${seed}/restart`);
  const room = (days * DAY * 0.8) / Math.max(1, restarts);
  return Array.from({ length: restarts }, (_, nth) => {
    const at = Math.round(days * DAY * 0.1 + nth * room + draw.share() * room * 0.7);
    const away = Math.round(room * 0.05 + draw.share() * Math.min(6 * HOUR, room * 0.2));
    return [
      { at, row: "restart" as const, does: [{ program: "stop" as const }] },
      { at: at + away, row: "restart" as const, does: [{ program: "start" as const }] },
    ];
  }).flat();
}

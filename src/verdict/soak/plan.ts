// Creates the plan of a soak: the acts of guests and hosts and the injected failures, each with its time. The plan follows from the seed,
// the rates and the company alone, so a part of it can be repeated by the numbers of its steps.
import type { Fault } from "../check.ts";
import { makers } from "./business.ts";
import type { Company } from "./company.ts";
import { type Business, business, createDraw, drawNumbers, type Weather, weather } from "./rates.ts";
import { DAY, HOUR, type Step } from "./step.ts";

export interface Planning {
  seed: string;
  days: number;
  rate: number;
  restarts: number;
  /** Rows of spec/soak.yaml to omit, or "restart" and "rotated-secret". */
  without?: readonly Step["row"][];
}

/** The names that `--without` accepts. */
export const ROWS: readonly Step["row"][] = [
  ...(Object.keys(business) as Business[]),
  ...(Object.keys(weather) as Weather[]),
  ...(["restart", "rotated-secret"] as const),
];

const MINUTE = 60_000;
/** Guests and hosts act between these hours (UTC). Failures are injected at any time. */
const [OPENS, CLOSES] = [6, 21];

interface Occasion {
  at: number;
  row: Business | Weather;
  nth: number;
}

/** Changes the company as the plan proceeds. Returns the steps sorted by time and numbered from 1. */
export function createPlan(planning: Planning, company: Company): Step[] {
  const { without = [] } = planning;
  const rows = Object.entries({ ...business, ...weather }) as [Business | Weather, { per_day: number }][];
  const occasions = rows
    .filter(([row]) => !without.includes(row))
    .flatMap(([row, { per_day }]) => drawOccasions(row, per_day, planning));
  const begins = company.now;
  const planned = occasions.sort(compareOccasions).flatMap(({ at, row, nth }): Omit<Step, "number">[] => {
    // Each occasion draws from its own stream, so omitting a row changes no other row.
    const draw = createDraw(`${planning.seed}/${row}/${nth}`);
    if (isWeather(row)) {
      const fault = { ...(drawNumbers(weather[row].fault, draw) as Fault), name: row };
      return [{ at, row, does: [{ fault }] }];
    }
    company.now = begins + at;
    const does = makers[row]({ company, draw, id: `soak-${row}-${nth}` });
    return does.length === 0 ? [] : [{ at, row, does }];
  });
  const always = [planRotation(planning), ...planRestarts(planning)].filter(({ row }) => !without.includes(row));
  const all = [...always, ...planned].sort((a, b) => a.at - b.at);
  return all.map((step, index) => ({ ...step, number: index + 1 }));
}

const isWeather = (row: Business | Weather): row is Weather => row in weather;

const compareOccasions = (a: Occasion, b: Occasion): number => a.at - b.at || (a.row < b.row ? -1 : 1);

function drawOccasions(row: Business | Weather, perDay: number, { seed, days, rate }: Planning): Occasion[] {
  const draw = createDraw(`${seed}/${row}`);
  const [from, to] = isWeather(row) ? [0, 24 * 60 - 1] : [OPENS * 60, CLOSES * 60];
  const wanted = perDay * rate;
  const found: Occasion[] = [];
  for (let day = 0; day < days; day++) {
    // A rate of 2.3 means three occasions on 30 % of the days, and two on the others.
    const times = Math.floor(wanted) + (draw.share() < wanted % 1 ? 1 : 0);
    for (let time = 0; time < times; time++)
      found.push({ at: day * DAY + draw.between(from, to) * MINUTE, row, nth: found.length + 1 });
  }
  return found;
}

function planRotation({ seed, days }: Planning): Omit<Step, "number"> {
  // Both secrets are valid until a point between 20 % and 60 % of the soak.
  const hours = Math.round(days * 24 * (0.2 + 0.4 * createDraw(`${seed}/secret`).share()));
  return { at: 0, row: "rotated-secret", does: [{ rotate: `PT${hours}H` }] };
}

/** Stops the program for some hours, but never in the first or last tenth of the soak. */
function planRestarts({ seed, days, restarts }: Planning): Omit<Step, "number">[] {
  const draw = createDraw(`${seed}/restart`);
  const interval = (days * DAY * 0.8) / Math.max(1, restarts);
  return Array.from({ length: restarts }, (_, nth) => {
    const at = Math.round(days * DAY * 0.1 + nth * interval + draw.share() * interval * 0.7);
    const stoppedMs = Math.round(interval * 0.05 + draw.share() * Math.min(6 * HOUR, interval * 0.2));
    return [
      { at, row: "restart" as const, does: [{ program: "stop" as const }] },
      { at: at + stoppedMs, row: "restart" as const, does: [{ program: "start" as const }] },
    ];
  }).flat();
}

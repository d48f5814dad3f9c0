// The screens in the order of the menu: address, title, the key after "g", and the component.
import type { ComponentType } from "preact";
import type { ScreenProps } from "./router.ts";
import { Acts } from "./screens/acts.tsx";
import { Assumptions } from "./screens/assumptions.tsx";
import { Calendar } from "./screens/calendar.tsx";
import { Clock } from "./screens/clock.tsx";
import { Compare } from "./screens/compare.tsx";
import { Faults } from "./screens/faults.tsx";
import { Records } from "./screens/records.tsx";
import { Story } from "./screens/story.tsx";
import { Timeline } from "./screens/timeline.tsx";
import { Verdict } from "./screens/verdict.tsx";
import { Webhooks } from "./screens/webhooks.tsx";
import { Worlds } from "./screens/worlds.tsx";

interface Screen {
  path: string;
  title: string;
  /** The key after "g" that opens the screen. */
  key: string;
  Show: ComponentType<ScreenProps>;
}

export const SCREENS: readonly Screen[] = [
  { path: "timeline", title: "Timeline", key: "t", Show: Timeline },
  { path: "story", title: "Story", key: "s", Show: Story },
  { path: "clock", title: "Clock", key: "c", Show: Clock },
  { path: "acts", title: "Acts", key: "a", Show: Acts },
  { path: "records", title: "Records", key: "r", Show: Records },
  { path: "calendar", title: "Calendar", key: "l", Show: Calendar },
  { path: "webhooks", title: "Webhooks", key: "w", Show: Webhooks },
  { path: "faults", title: "Faults", key: "f", Show: Faults },
  { path: "assumptions", title: "Assumptions", key: "u", Show: Assumptions },
  { path: "verdict", title: "Verdict", key: "v", Show: Verdict },
  { path: "worlds", title: "Worlds", key: "o", Show: Worlds },
  { path: "compare", title: "Compare", key: "m", Show: Compare },
];

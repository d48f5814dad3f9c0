// The screens, one line each: the address, the title, the key after "g", and what shows it. The order is that of the menu.
import type { Screen } from "./screen.ts";
import { Acts } from "./screens/acts.tsx";
import { Assumptions } from "./screens/assumptions.tsx";
import { Calendar } from "./screens/calendar.tsx";
import { Faults } from "./screens/faults.tsx";
import { Records } from "./screens/records.tsx";
import { Story } from "./screens/story.tsx";
import { Timeline } from "./screens/timeline.tsx";
import { Verdict } from "./screens/verdict.tsx";
import { Webhooks } from "./screens/webhooks.tsx";

export const SCREENS: readonly Screen[] = [
  { path: "timeline", title: "Timeline", key: "t", Show: Timeline },
  { path: "story", title: "Story", key: "s", Show: Story },
  { path: "acts", title: "Acts", key: "a", Show: Acts },
  { path: "records", title: "Records", key: "r", Show: Records },
  { path: "calendar", title: "Calendar", key: "l", Show: Calendar },
  { path: "webhooks", title: "Webhooks", key: "w", Show: Webhooks },
  { path: "faults", title: "Faults", key: "f", Show: Faults },
  { path: "assumptions", title: "Assumptions", key: "u", Show: Assumptions },
  { path: "verdict", title: "Verdict", key: "v", Show: Verdict },
];

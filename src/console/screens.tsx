// The screens, one line each: the address, the title, the key after "g", and what shows it. The order is that of the menu.
import type { Screen } from "./screen.ts";
import { Story } from "./screens/story.tsx";
import { Timeline } from "./screens/timeline.tsx";

export const SCREENS: readonly Screen[] = [
  { path: "timeline", title: "Timeline", key: "t", Show: Timeline },
  { path: "story", title: "Story", key: "s", Show: Story },
];

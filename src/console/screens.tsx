// The screens, one line each: the address, the title, the key after "g", and what shows it. The order is that of the menu.
import type { ComponentType } from "preact";
import { Timeline } from "./screens/timeline.tsx";

export interface ScreenProps {
  /** What follows the screen in the address. */
  rest: readonly string[];
}

export interface Screen {
  path: string;
  title: string;
  key: string;
  Show: ComponentType<ScreenProps>;
}

export const SCREENS: readonly Screen[] = [{ path: "timeline", title: "Timeline", key: "t", Show: Timeline }];

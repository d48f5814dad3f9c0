// Types of screens.
import type { ComponentType } from "preact";

export interface ScreenProps {
  /** The parts of the path after the screen. */
  rest: readonly string[];
}

export interface Screen {
  path: string;
  title: string;
  /** The key after "g" that opens the screen. */
  key: string;
  Show: ComponentType<ScreenProps>;
}

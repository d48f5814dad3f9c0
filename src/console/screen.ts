// What a screen is.
import type { ComponentType } from "preact";

export interface ScreenProps {
  /** What follows the screen in the address. */
  rest: readonly string[];
}

export interface Screen {
  path: string;
  title: string;
  /** After "g". */
  key: string;
  Show: ComponentType<ScreenProps>;
}

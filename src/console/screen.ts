// What a screen of the console is.
import type { ComponentType } from "preact";

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

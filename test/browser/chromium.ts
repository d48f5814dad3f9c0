// Where the browser of the tests is: $CHROMIUM, or a Chromium or Chrome of the system. Nothing is downloaded. The headless shell is the
// same engine without the windows, and takes less than half as long.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const APPS = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/snap/bin/chromium"];

const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));

export const chromiumPath: string | undefined = process.env.CHROMIUM ?? [...onPath, ...APPS].find(existsSync);

export const NO_CHROMIUM =
  "\n!!! THE BROWSER TESTS ARE SKIPPED: there is no Chromium. Install one (apt-get install chromium-headless-shell) or set CHROMIUM to its path.\n\n";

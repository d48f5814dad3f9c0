// Where the browser of the tests is: $CHROMIUM, or a Chromium or Chrome of the system. Nothing is downloaded.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const APPS = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/snap/bin/chromium"];

const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));

export const chromiumPath: string | undefined = process.env.CHROMIUM ?? [...onPath, ...APPS].find(existsSync);

export const NO_CHROMIUM =
  "\n!!! THE BROWSER TESTS ARE SKIPPED: there is no Chromium. Install one (apt-get install chromium) or set CHROMIUM to its path.\n\n";

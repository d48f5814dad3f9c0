// The keyboard as tests of the console press it, so that nothing depends on how fast the page answers.
import type { Page } from "playwright-core";

/** "g" and the key of a screen. Both are sent before the page answers: they belong together only for a second. */
export async function pressScreen(page: Page, screen: string): Promise<void> {
  await Promise.all(["g", screen].map((key) => page.keyboard.press(key)));
}

/** Out of the filter, and to the first line of the list, once that is the one. */
export async function openFirst(page: Page, name: string | RegExp): Promise<void> {
  await page.locator('.list li[data-index="0"]').getByRole("link", { name }).waitFor();
  for (const key of ["Escape", "j", "Enter"]) await page.keyboard.press(key);
}

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

const FOCUSED = `((at) => at === document.body ? "" : at.ariaLabel || at.labels?.[0]?.innerText || at.innerText || at.value || "")(document.activeElement)`;

/** Presses Tab until the element with that name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    const focused = await page.evaluate<string>(FOCUSED);
    if (name.test(focused)) return;
    passed.push(focused.slice(0, 30));
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to ${name}, but to ${passed.join(" | ")}`);
}

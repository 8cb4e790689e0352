/** Compares screens, in two sizes each, with recorded screens that were reviewed. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestScreen, type TestScreen } from "../../../support/test-screen.ts";
import { picture } from "./picture.ts";

export { NOW, type TestScreen, type TestScreenOptions } from "../../../support/test-screen.ts";

/** `act` brings the screen into its state; what is seen then must be what `screens/NAME.SIZE.txt` shows, and `docs/pictures/PICTURED.png`. */
export function golden(name: string, act: (shown: TestScreen) => Promise<void> | void, pictured?: string): void {
  if (pictured !== undefined) picture(pictured, act);
  for (const [columns, rows] of [
    [80, 24],
    [140, 40],
  ] as const)
    test(`SCR3 the screen is unchanged at ${columns}×${rows}: ${name}`, async () => {
      const shown = createTestScreen({ columns, rows });
      await act(shown);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const file = `${name.replaceAll(/[^\w]+/g, "-")}.${columns}x${rows}.txt`;
      await expect(await shown.screenText()).toMatchFileSnapshot(join(import.meta.dirname, "screens", file));
      shown.screen.stop();
    });
}

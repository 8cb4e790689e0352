/** Whether a folder is trusted, in a narrow terminal. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { themeNamed } from "../../../../src/screen/drawing/theme.ts";
import { openPanel } from "../../../../src/screen/panels/open-panel.ts";
import { trustPage } from "../../../../src/screen/panels/permitting/trust-page.ts";

test("MAN8 all three answers are seen in any terminal", () => {
  const panel = openPanel(trustPage(".pith/settings.json\n".repeat(40)), { where: "page", changed: () => {} });
  for (const [width, height] of [
    [140, 40],
    [60, 16],
    [40, 12],
  ] as const) {
    const lines = panel.draw({ width, height, theme: themeNamed("none") });
    expect(lines.length).toBe(height);
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).toMatch(/No \(n\)[\s\S]*Only this time \(o\)[\s\S]*Yes, as it is now \(y\)/);
  }
});

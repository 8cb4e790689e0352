/** The bar: every part by a sign of its own, and the two places where something happens. */

import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMeterBar } from "../../../../src/modes/interactive/render/context-meter.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { sampleMeter } from "../../../support/test-screen.ts";

const theme = createTheme("none");

test("MET3 the prompt, kept, new and free parts and both thresholds have different characters", () => {
  expect(renderMeterBar(sampleMeter, { width: 40, theme })).toBe("████▓▓▓▓▓▒▒▒▒▒▒▒▒▒·············╎·······┃");
});

test("MET3 the part over the limit is drawn after the limit's mark", () => {
  const meter = { ...sampleMeter, tokens: 195_000, parts: { ...sampleMeter.parts, recent: 155_800 } };
  expect(renderMeterBar(meter, { width: 40, theme })).toMatch(/▒┃▒+$/);
});

test("MET3 the bar is filled in proportion, and full at the compaction threshold", () => {
  const at = (share: number): number => {
    const tokens = Math.round(183_616 * share);
    const parts = { system: 0, pins: 0, userMessages: 0, summary: 0, kept: 0, recent: tokens };
    return [...renderMeterBar({ ...sampleMeter, softLimit: null, tokens, parts }, { width: 40, theme })].filter(
      (sign) => sign === "▒",
    ).length;
  };
  expect([at(0.25), at(0.5), at(1)]).toEqual([10, 20, 39]);
});

test("MET3 the bar of an empty context is all free, and a few tokens fill one cell", () => {
  const nothing = { system: 0, pins: 0, userMessages: 0, summary: 0, kept: 0, recent: 0 };
  expect(renderMeterBar({ ...sampleMeter, tokens: 0, parts: nothing }, { width: 20, theme })).toMatch(/^[·╎┃]{20}$/);
  expect(renderMeterBar({ ...sampleMeter, tokens: 3, parts: { ...nothing, recent: 3 } }, { width: 20, theme })).toMatch(
    /^▒[·╎┃]{19}$/,
  );
});

test("MET3 the bar has exactly the given width in every theme", () => {
  const part = fc.nat(300_000);
  const parts = fc.record({ system: part, pins: part, userMessages: part, summary: part, kept: part, recent: part });
  fc.assert(
    fc.property(
      parts,
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom("dark", "light", "none"),
      (given, width, name) => {
        const tokens = Object.values(given).reduce((sum, each) => sum + each, 0);
        const bar = renderMeterBar({ ...sampleMeter, tokens, parts: given }, { width, theme: createTheme(name) });
        expect(visibleWidth(bar)).toBe(width);
      },
    ),
  );
});

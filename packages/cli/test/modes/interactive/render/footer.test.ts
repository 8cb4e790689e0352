/** What the footer tells, in whatever room there is. */

import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderFooter } from "../../../../src/modes/interactive/render/footer.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { FooterData } from "../../../../src/modes/interactive/state/footer.ts";
import { initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import { hostileTexts } from "../../../support/hostile-texts.ts";
import { sampleFooter, sampleMeter } from "../../../support/test-screen.ts";

const theme = createTheme("none");
const footerText = (facts: Partial<FooterData>, width = 80): string =>
  renderFooter({ ...sampleFooter, ...facts }, { width, theme }).join("\n");

test("MET1 at 80 columns, two lines show the model, folder, branch, session name, context, mode, sandbox and cost", () => {
  const lines = renderFooter(sampleFooter, { width: 80, theme });
  expect(lines).toHaveLength(2);
  for (const words of ["claude-sonnet-4-5", "high", "~/work/parser", "main", "fix the parser", "3 branches"])
    expect(lines[0]).toContain(words);
  for (const words of ["84,211 / 183,616", "46%", "edit mode", "sandbox", "$1.42"]) expect(lines[1]).toContain(words);
  expect(renderFooter(sampleFooter, { width: 280, theme })).toHaveLength(1);
});

test("MET1 at 140 columns, the footer has full names and a legend", () => {
  const [first, second] = footerText({}, 140).split("\n");
  expect(first?.trim()).toBe(
    'anthropic/claude-sonnet-4-5 · thinking high · ~/work/parser on main · "fix the parser" · 3 branches in /tree',
  );
  expect(second).toMatch(
    /^context 46% {2}█+▓+▒+·+╎·+┃ {2}84,211 \/ 183,616 {2}█ prompt \+ summary ▓ kept ▒ new ╎ warning ┃ auto-compact +edit mode · sandbox · \$1\.42$/,
  );
});

test("MET1 in a narrow terminal the model, the branch and the context percentage remain", () => {
  for (const words of ["claude-sonnet-4-5 · on main", "context 46%"]) expect(footerText({}, 60)).toContain(words);
  expect(footerText({}, 40)).toContain("context 46%");
});

test("MET1 mode all and a missing sandbox are shown as such", () => {
  expect(footerText({ permissionMode: "all", isSandboxed: false })).toContain("ALL mode");
  expect(footerText({ permissionMode: "all", isSandboxed: false })).toContain("no sandbox");
  expect(footerText({ permissionMode: "plan" })).toContain("plan mode");
});

test("MET24 a command outside the sandbox is shown at any width, and only if there is a sandbox", () => {
  const outside = (facts: Partial<FooterData>, width: number): string =>
    stripVTControlCharacters(renderFooter({ ...sampleFooter, ...facts }, { width, theme, isOutside: true }).join("\n"));
  for (const width of [60, 80, 140, 280]) expect(outside({}, width)).toContain("· outside the sandbox");
  expect(outside({ isSandboxed: false }, 140)).not.toContain("outside");
  expect(footerText({}, 140)).not.toContain("outside");
});

test("MET19 estimated numbers have a tilde before them (B12)", () => {
  const estimated = (meter: Partial<typeof sampleMeter>): string =>
    footerText({ meter: { ...sampleMeter, isEstimate: true, ...meter } }, 140);
  expect(estimated({})).toMatch(/context ~46% .* ~84,211 \/ 183,616 /);
  expect(estimated({ limit: null, softLimit: null })).toContain("context ~84,211 tokens · window unknown");
  expect(footerText({}, 140)).not.toContain("~84,211");
});

test("MET3 no line is wider than the screen, and the context numbers remain, for any width and data", () => {
  const words = fc.oneof(fc.string({ unit: "grapheme", maxLength: 90 }), fc.constantFrom(...hostileTexts));
  const count = fc.nat(2_000_000);
  fc.assert(
    fc.property(words, words, count, fc.integer({ min: 1, max: 220 }), (name, folder, tokens, width) => {
      const meter = { ...sampleMeter, tokens, parts: { ...sampleMeter.parts, fresh: tokens } };
      const facts: FooterData = { ...sampleFooter, sessionName: name, gitBranch: name, folder, meter };
      const lines = renderFooter(facts, { width, theme });
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      if (width >= 80) expect(lines.join("\n")).toContain(`${tokens.toLocaleString("en-US")} / 183,616`);
    }),
  );
});

test("MET1 a long name is shortened without leaving escapes", () => {
  const long = footerText({
    sessionName: "a very long name of a session that goes on and on",
    gitBranch: "b".repeat(60),
  });
  expect(stripVTControlCharacters(long)).toContain("b…");
  expect(long).not.toContain("\\x1b");
});

test("MET4 the footer shows that automatic compaction is off or paused, and why", () => {
  expect(footerText({})).not.toContain("auto");
  expect(footerText({ meter: { ...sampleMeter, isAutoCompactEnabled: false } })).toContain("auto-compact off");
  expect(footerText({ meter: { ...sampleMeter, pauseReason: "undone" } })).toContain(
    "auto-compact paused (after undo)",
  );
  expect(footerText({ meter: { ...sampleMeter, pauseReason: "breaker" } })).toContain(
    "auto-compact paused (not freeing enough)",
  );
});

test("MET4 PREP5 the footer shows that a prepared summary is ready", () => {
  expect(footerText({})).not.toContain("summary ready");
  expect(footerText({ meter: { ...sampleMeter, isSummaryReady: true } })).toContain("summary ready");
});

test("MET4 an unknown context window is shown as unknown, without a bar", () => {
  const unknown = footerText({ meter: { ...sampleMeter, contextWindow: 0, limit: null, softLimit: null } });
  expect(unknown).toContain("context 84,211 tokens · window unknown");
  expect(unknown).not.toMatch(/[█▓▒┃]/);
});

test("RES29 the footer leaves out what is not known yet", () => {
  const [line = "", ...more] = renderFooter(initialScreenState.footer, { width: 80, theme });
  expect([line.trim(), more]).toEqual(["", []]);
  expect(footerText({ cost: null })).not.toContain("$");
  expect(footerText({ isSandboxed: null })).not.toContain("sandbox");
});

/** Which figure is the window. */

import { expect, test } from "vitest";
import { contextWindow } from "../../src/windows/window.ts";

const loaded = (window: number) => ({ window, source: "loaded" }) as const;
const assumed = (window: number) => ({ window, source: "assumed" }) as const;

test("SEE1 the smallest of setting, served and learnt is the window, and it says whose it is", () => {
  const parts = { setting: 64_000, served: loaded(32_768), learnt: 40_000, known: 200_000 };
  expect(contextWindow(parts)).toEqual({ tokens: 32_768, because: "served" });
  expect(contextWindow({ ...parts, learnt: 8_000 })).toEqual({ tokens: 8_000, because: "learnt" });
  expect(contextWindow({ ...parts, setting: 4_000 })).toEqual({ tokens: 4_000, because: "setting" });
});

test("SEE1 the catalogue's figure counts where nobody has spoken, and overrules nobody", () => {
  expect(contextWindow({ known: 128_000 })).toEqual({ tokens: 128_000, because: "known" });
  expect(contextWindow({ setting: 1_000_000, known: 128_000 })).toEqual({ tokens: 1_000_000, because: "setting" });
  expect(contextWindow({ served: loaded(262_144), known: 8_192 })).toEqual({ tokens: 262_144, because: "served" });
});

test("SEE1 an assumption gives way to a setting and to what was learnt", () => {
  expect(contextWindow({ served: assumed(8_192), known: 128_000 })).toEqual({ tokens: 8_192, because: "assumed" });
  expect(contextWindow({ served: assumed(8_192), setting: 32_000, known: 128_000 }).tokens).toBe(32_000);
  expect(contextWindow({ served: assumed(8_192), learnt: 4_096, known: 128_000 }).tokens).toBe(4_096);
});

test("SEE1 figures that are none do not count", () => {
  const odd = { setting: 0, served: loaded(Number.NaN), learnt: -1, known: 128_000 };
  expect(contextWindow(odd)).toEqual({ tokens: 128_000, because: "known" });
  expect(contextWindow({ served: null, known: 128_000 }).because).toBe("known");
});

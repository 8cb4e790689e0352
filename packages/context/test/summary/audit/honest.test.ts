/** Measures what the audit and the repair do to honest summaries: hardly anything may be held against them, and hardly anything may go. */

import { expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/audit.ts";
import { repaired } from "../../../src/summary/repair.ts";
import { citedIds, headingOf, isOfUser, placeLines } from "../../../src/summary/summary-lines.ts";
import { evidenceFor, sections, sectionsOfTurn } from "./asked.ts";
import type { Told } from "./honest/told.ts";
import { honest } from "./honest.ts";

test("AUD4 honest lines stand: found fault with in few, and hardly a wish of the user's is lost", () => {
  const counts = honest.map(counted);
  const all = sum(counts.map(({ lines }) => lines));
  const faulty = sum(counts.map((count) => count.faulty));
  const wishes = sum(counts.map((count) => count.wishes));
  const lost = counts.flatMap((count) => count.lost);
  console.log(
    `honest summaries: ${honest.length}; lines without a flaw: ${all - faulty} of ${all} (${percent(1 - faulty / all)}); ` +
      `wishes of the user lost: ${lost.length} of ${wishes} (${percent(lost.length / wishes)})`,
  );
  expect(honest.length).toBeGreaterThanOrEqual(30);
  expect({ all, faulty, wishes, lost }).toEqual({
    all: 353,
    faulty: 5,
    wishes: 110,
    lost: ["- webpack rauswerfen (entry:e8)"],
  });
  expect(faulty / all).toBeLessThanOrEqual(0.1);
  expect(lost.length / wishes).toBeLessThanOrEqual(0.05);
});

test("AUD7 what a repair keeps of an honest summary it keeps as it is", () => {
  for (const { session, summary } of honest) {
    const evidence = evidenceFor(session);
    const { story, mended } = repaired(summary, evidence, formatOf(summary));
    const openings = new Set(citedIds(summary).map(evidence.openingOf));
    const lines = new Set(mended.map(({ line }) => line));
    const kept = summary.split("\n").filter((_, at) => !lines.has(at + 1));
    const isNew = (text: string): boolean => text === "- (none)" || openings.has(text);
    expect(story.split("\n").filter((text) => !isNew(text))).toEqual(kept.filter((text) => !isNew(text)));
  }
});

interface Counted {
  readonly lines: number;
  readonly faulty: number;
  /** Lines under a heading of the user's. */
  readonly wishes: number;
  readonly lost: readonly string[];
}

function counted({ session, summary }: Told): Counted {
  const evidence = evidenceFor(session);
  const format = formatOf(summary);
  const said = placeLines(summary.split("\n")).filter(isSaid);
  const left = new Set(repaired(summary, evidence, format).story.split("\n"));
  const wishes = said.filter(({ section, text }) => isOfUser(section) && !text.includes("(none)"));
  return {
    lines: said.length,
    faulty: new Set(auditSummary(summary, evidence, format).map(({ line }) => line)).size,
    wishes: wishes.length,
    lost: wishes.map(({ text }) => text).filter((text) => !left.has(text)),
  };
}

function isSaid({ text }: { readonly text: string }): boolean {
  return text.trim() !== "" && !headingOf(text) && text !== "---" && !text.startsWith("**Turn Context");
}

function formatOf(summary: string): { readonly sections: readonly string[]; readonly tokens: number } {
  return { sections: summary.includes("## Original Request") ? sectionsOfTurn : sections, tokens: 4000 };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

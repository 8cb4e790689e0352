/** Prints which share of recorded commands is asked about, by mode and rules, and which of the hostile lines; both have fixed bounds. */

import { describe, expect, test } from "vitest";
import { decide, type PermissionMode } from "../../src/permissions/decide.ts";
import { act, command, permissionPaths, rules, sight } from "../support/permission-requests.ts";
import { DENY_RULES, readHostileLines, readRecordedLines } from "./shell-lines.ts";

const MODES: readonly PermissionMode[] = ["ask", "edit", "plan", "all"];
const POLICY = "the policy of Example Corp";

interface Stance {
  readonly mode: PermissionMode;
  readonly deny?: readonly string[];
  readonly isPolicy?: boolean;
  readonly isConfined?: boolean;
}

function outcomeOf(line: string, { mode, deny = [], isPolicy = false, isConfined = true }: Stance): string {
  const stated = rules({ deny: deny.map((text) => `bash(${text})`) });
  const state = {
    mode,
    rules: isPolicy ? { ...stated, deny: stated.deny.map((each) => ({ ...each, source: "policy" as const })) } : stated,
    paths: { ...permissionPaths, hasSandbox: isConfined },
    ...(isPolicy && { limits: { source: POLICY } }),
  };
  return decide(sight(act(command(line, isConfined))), state).type;
}

function count(lines: readonly string[], stance: Stance): Readonly<Record<string, number>> {
  const counts = { allowed: 0, asked: 0, refused: 0 };
  for (const line of lines) counts[outcomeOf(line, stance) as keyof typeof counts] += 1;
  return counts;
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)}%`;

/** The commands asked about before decision 0091, measured with this file on the commit before it. A policy asks like a flag. */
const ASKED_BEFORE: Readonly<Record<PermissionMode, readonly [none: number, denied: number]>> = {
  ask: [405, 399],
  edit: [2, 25],
  plan: [0, 25],
  all: [0, 25],
};

describe("SHELL5 the share of recorded commands that need a question stays within its limits", () => {
  const stances = MODES.flatMap((mode) => [
    { name: "no rule", mode },
    { name: "five deny rules", mode, deny: DENY_RULES },
    { name: "five deny rules of a policy", mode, deny: DENY_RULES, isPolicy: true },
  ]);

  test.each(stances.map((stance) => [stance.mode, stance.name, stance] as const))(
    "mode %s, %s, in the sandbox",
    (mode, name, stance) => {
      const lines = readRecordedLines();
      const { asked: callCount = 0, refused = 0 } = count(lines, stance);
      const before = ASKED_BEFORE[mode][stance.deny ? 1 : 0];
      console.log(
        `${mode}, ${name}: ${callCount} of ${lines.length} asked (${percent(callCount, lines.length)}; before 0091: ${percent(before, lines.length)}), ${refused} refused`,
      );
      expect(lines).toHaveLength(405);
      if (mode === "ask") expect(callCount + refused).toBe(lines.length);
      // A remote command asks in `edit`, too.
      else expect(callCount / lines.length).toBeLessThanOrEqual(stance.deny ? 0.1 : 0.05);
    },
  );
});

describe("SHELL4 no line that runs a denied program is allowed", () => {
  const lines = readHostileLines("wrapped-lines.txt");

  test.each(
    MODES.flatMap((mode) =>
      [true, false].flatMap((isConfined) =>
        [false, true].map(
          (isPolicy) =>
            [
              mode,
              isPolicy ? "a policy" : "a flag",
              isConfined ? "in" : "without",
              { mode, isConfined, isPolicy },
            ] as const,
        ),
      ),
    ),
  )("in mode %s, by a rule of %s, %s a sandbox", (mode, source, place, stance) => {
    const counts = { allowed: 0, asked: 0, refused: 0 };
    for (const { denied, line } of lines)
      counts[outcomeOf(line, { ...stance, deny: [`${denied}:*`] }) as keyof typeof counts] += 1;
    console.log(
      `${mode}, ${source}, ${place} a sandbox: ${counts.asked} asked, ${counts.refused} refused of ${lines.length}`,
    );
    expect(lines.length).toBeGreaterThanOrEqual(1_000);
    expect(counts.allowed).toBe(0);
  });
});

/**
 * The same commands outside and inside the sandbox: in four projects with `pnpm test:ordinary-work` (as root on Linux, with a registry), in
 * that of Python with `pnpm test`. A report of each project is written to `node_modules/.cache/ordinary-work`.
 */

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { type Comparison, compareProject, type Difference, deviations, isDeviation } from "./compare.ts";
import { normalisations } from "./list-tree.ts";
import type { Project } from "./project.ts";
import { go } from "./projects/go.ts";
import { monorepo } from "./projects/monorepo.ts";
import { npm } from "./projects/npm.ts";
import { python } from "./projects/python.ts";

const all: readonly Project[] = [npm, monorepo, python, go];
const projects = isLong ? all : [python];
const MOST_QUESTIONS = 12;
const REPORTS = join(import.meta.dirname, "../../../../node_modules/.cache/ordinary-work");

const comparisons = new Map<string, Comparison>();

beforeAll(async () => {
  mkdirSync(REPORTS, { recursive: true });
  const waiting = [...projects];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const report = join(REPORTS, `${next.name}.txt`);
      rmSync(report, { force: true });
      comparisons.set(next.name, await compareProject(next, (line) => appendFileSync(report, `${line}\n`)));
    }
  };
  await Promise.all([work(), work()]);
});

describe.each(projects.map(({ name }) => ({ name })))("$name", ({ name }) => {
  test("BOX42 each command has the same exit code and result tree inside and outside the sandbox", () => {
    const { differences, unexpected } = comparisonOf(name);
    expect(unexpected).toEqual([]);
    const isListed = (difference: Difference): boolean => deviations.some((each) => isDeviation(each, difference));
    expect(differences.filter((difference) => !isListed(difference)).map(formatDifference)).toEqual([]);
  });

  test("BOX42 each listed deviation has a reason and still occurs", () => {
    const { differences } = comparisonOf(name);
    const listed = deviations.filter(({ project }) => project === name);
    expect(listed.filter((each) => !differences.some((difference) => isDeviation(each, difference)))).toEqual([]);
    expect([...listed, ...normalisations].filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

test(`BOX42 all commands together cause at most ${MOST_QUESTIONS} questions`, () => {
  const questions = projects.flatMap(({ name }) => comparisonOf(name).questions.map(({ title }) => title));
  expect(questions.slice(MOST_QUESTIONS), questions.join("\n")).toEqual([]);
});

test("BOX42 the four projects have at least 30 commands each and 120 in total", () => {
  const counts = all.map(({ commands }) => commands.length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(30);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(120);
  for (const { name, commands } of projects) expect(comparisonOf(name).commands).toBe(commands.length);
});

function comparisonOf(name: string): Comparison {
  const found = comparisons.get(name);
  if (!found) throw new Error(`the commands of ${name} did not run to their end`);
  return found;
}

const formatDifference = ({ command, what, outside, inside }: Difference): string =>
  `${command}\n  ${what}: outside ${outside}, inside ${inside}`;

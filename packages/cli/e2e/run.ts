/** `pnpm e2e [NAME…] [--watch]`: runs the scenarios in a real terminal and prints a table; with --watch they can be watched. */

import { type Outcome, runScenario } from "./scenario.ts";

if (process.argv.includes("--watch")) process.env.PITH_E2E_WATCH = "1";
const { scenarios } = await import("./scenarios/all.ts");
const names = process.argv.slice(2).filter((word) => word !== "--watch");
const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`there is no scenario ${unknown.join(", ")}; there are:`);
  for (const { name, says } of scenarios) console.error(`  ${name.padEnd(20)}${says}`);
  process.exit(2);
}

const outcomes: Outcome[] = [];
for (const scenario of scenarios.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const outcome = await runScenario(scenario);
  outcomes.push(outcome);
  const { name, isPassed, note, seconds } = outcome;
  console.log(`${isPassed ? "ok    " : "FAILED"}  ${name.padEnd(20)}${seconds.toFixed(1).padStart(6)} s  ${note}`);
}
const failed = outcomes.filter(({ isPassed }) => !isPassed).length;
const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
console.log(`${outcomes.length - failed} passed, ${failed} failed, ${seconds.toFixed(0)} s`);
process.exitCode = failed > 0 ? 1 : 0;

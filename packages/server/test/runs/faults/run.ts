/**
 * `pnpm hosted-faults [--json] [--seed SEED] [KILLS FREEZES RESTARTS DEPLOYS]`: kills and freezes hosted workers, crashes PostgreSQL and deploys
 * releases during conversations. Default: 200 30 10 10. Fails if a prompt is lost, doubled or left, or if something was done twice without a reason.
 */

import { parseArgs } from "node:util";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { runCampaign } from "./run-campaign.ts";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean" }, seed: { type: "string", default: String(Date.now() % 1_000_000) } },
  allowPositionals: true,
});
const [kills = 200, freezes = 30, restarts = 10, deploys = 10] = positionals.map(Number);
const report = await runCampaign({
  kills,
  freezes,
  restarts,
  deploys,
  random: createSeededRandom(Number(values.seed)),
});
console.log(JSON.stringify({ seed: Number(values.seed), ...report }, null, values.json ? 0 : 2));
if (report.problems.length > 0) process.exitCode = 1;

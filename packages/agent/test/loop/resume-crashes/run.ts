/** `pnpm test:resume [KILLS] [SEED]`: kills clients at 500 or the given number of random steps; fails if a message is lost, doubled or merged with another. */

import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { killClients } from "./kill-clients.ts";

const [kills = "500", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const report = await killClients(Number(kills), createSeededRandom(Number(seed)));
console.log(JSON.stringify({ seed: Number(seed), ...report }));
if (report.lost + report.doubled + report.merged + report.faults.length > 0) process.exitCode = 1;

/** `pnpm test:append-crashes [APPENDS] [KILLS] [RESTARTS] [SEED]`: kills writers and PostgreSQL during appends; fails if an entry is lost or doubled. */

import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { startDatabase } from "../../support/database.ts";
import { killWriters } from "./kill-writers.ts";

const [appends = "2000", kills = "30", restarts = "8", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const server = await startDatabase();
const random = createSeededRandom(Number(seed));
const report = await killWriters(server, {
  ...{ appends: Number(appends), kills: Number(kills), restarts: Number(restarts), random },
});
console.log(JSON.stringify({ seed: Number(seed), ...report }));
await server.database.close();
await server.cluster.stop();
if (report.lost + report.doubled + report.misplaced > 0) process.exitCode = 1;

/** A program of its own that searches one home, for tests with several of them: arguments home and question; a line for each search. */

import { searchSessions } from "../../src/search/search.ts";

const [, , home = "", query = ""] = process.argv;
const env = { PITH_HOME: home };
process.on("warning", (warning) => console.log(JSON.stringify({ warning: String(warning) })));
for await (const _ of process.stdin) {
  const found = await searchSessions(query, { env });
  if (found.type !== "searched") throw new Error(JSON.stringify(found));
  console.log(JSON.stringify({ ids: found.hits.map(({ entry }) => entry).sort(), pending: found.pending }));
}

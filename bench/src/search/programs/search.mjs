/** Runs all queries on an existing index. Arguments: package folder, home folder, queries as JSON, pause in ms. */

import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { importBuilt } from "../../import-built.mjs";

const [, , packageFolder, pithHome, queriesJson, pause] = process.argv;
const { searchSessions } = await importBuilt(packageFolder, "./search");
const env = { PITH_HOME: pithHome };

const WARM_UP = 12;

async function timeQuery(query) {
  const [start, cpuBefore] = [performance.now(), process.cpuUsage()];
  const result = await searchSessions(query, { env });
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (result.type !== "searched" || result.pending) throw new Error(JSON.stringify(result));
  return { ms, cpuMs: (user + system) / 1000, hits: result.hits };
}

/** Measures the time from an append until a search finds it. */
async function measureFindDelay(path, word) {
  const message = { role: "user", content: word, timestamp: 1 };
  const entryFields = { type: "message", id: word, parentId: null, timestamp: new Date().toISOString() };
  appendFileSync(path, `${JSON.stringify({ ...entryFields, message })}\n`);
  const start = performance.now();
  while ((await timeQuery(word)).hits.length === 0) await setTimeout(5);
  return performance.now() - start;
}

const queries = JSON.parse(queriesJson);
const cold = await timeQuery(queries[0].query);
// Warms up: a running program has searched before.
for (const { query } of queries.slice(0, WARM_UP)) await timeQuery(query);
const answers = [];
for (const { kind, query } of queries) {
  if (Number(pause) > 0) await setTimeout(Number(pause));
  const { ms, cpuMs, hits } = await timeQuery(query);
  answers.push({ kind, query, ms, cpuMs, hits: hits.length, path: hits[0]?.session.path });
}
const paths = [...new Set(answers.flatMap(({ path }) => path ?? []))].slice(0, 5);
const afters = [];
if (Number(pause) === 0)
  for (const [at, path] of paths.entries()) afters.push(await measureFindDelay(path, `zyx${process.pid}w${at}`));
console.log(JSON.stringify({ coldMs: cold.ms, answers, afters }));

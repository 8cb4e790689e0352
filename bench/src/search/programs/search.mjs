/** Asks all questions of an existing index, in a process of its own. Arguments: package folder, home, questions as JSON, pause in ms. */

import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { importBuilt } from "../../import-built.mjs";

const [, , home, pithHome, questions, pause] = process.argv;
const { searchSessions } = await importBuilt(home, "./search");
const env = { PITH_HOME: pithHome };

const WARM_UP = 12;

async function timed(query) {
  const [start, used] = [performance.now(), process.cpuUsage()];
  const found = await searchSessions(query, { env });
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  if (found.type !== "searched" || found.pending) throw new Error(JSON.stringify(found));
  return { ms, cpuMs: (user + system) / 1000, hits: found.hits };
}

/** From an append to the moment at which a search finds it. */
async function foundAfter(path, word) {
  const message = { role: "user", content: word, timestamp: 1 };
  const placed = { type: "message", id: word, parentId: null, timestamp: new Date().toISOString() };
  appendFileSync(path, `${JSON.stringify({ ...placed, message })}\n`);
  const start = performance.now();
  while ((await timed(word)).hits.length === 0) await setTimeout(5);
  return performance.now() - start;
}

const asked = JSON.parse(questions);
const cold = await timed(asked[0].query);
// Programs that run have asked before.
for (const { query } of asked.slice(0, WARM_UP)) await timed(query);
const answers = [];
for (const { kind, query } of asked) {
  if (Number(pause) > 0) await setTimeout(Number(pause));
  const { ms, cpuMs, hits } = await timed(query);
  answers.push({ kind, query, ms, cpuMs, hits: hits.length, path: hits[0]?.session.path });
}
const paths = [...new Set(answers.flatMap(({ path }) => path ?? []))].slice(0, 5);
const afters = [];
if (Number(pause) === 0)
  for (const [at, path] of paths.entries()) afters.push(await foundAfter(path, `zyx${process.pid}w${at}`));
console.log(JSON.stringify({ coldMs: cold.ms, answers, afters }));

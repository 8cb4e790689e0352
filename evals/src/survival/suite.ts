/** Runs `pnpm eval survival`: which facts reach a summariser, and which lies, injections and junk reach its summary. */

import { random } from "@pith/bench/random";
import type { Figures, Settings, Suite } from "@pith/bench/suite";
import { texts } from "@pith/bench/texts";
import { type Fact, factsFrom, kinds, places } from "./facts.ts";
import { injections } from "./injections.ts";
import { invented } from "./invented.ts";
import { languages } from "./languages/all.ts";
import { sorts } from "./languages/language.ts";
import { type Judged, plantedFacts } from "./planted-facts.ts";
import { growth, junk } from "./rounds.ts";

export const survivalSuite: Suite = {
  name: "survival",
  about:
    "240 facts planted in long results: how many reach a summariser, beside pi; and what lies, injections and junk reach",
  run: runSurvival,
};

async function runSurvival({ quick, seed, corpus, facts: file, say }: Settings): Promise<Figures> {
  const facts = factsFrom(file, quick ? 1 : 5, random(seed));
  say(`${facts.length} facts, each in a result of 6,000 to 40,000 letters`);
  const next = random(seed + 1);
  const { judged, ratio, piRatio } = await plantedFacts(facts, {
    next,
    corpus: corpus === undefined ? null : texts(next, corpus),
  });
  say(table(judged));
  const lies = await invented();
  const orders = await injections();
  const [rounds, junkRounds] = quick ? [5, 5] : [50, 10];
  say(
    `${lies.tried} invented requests, ${orders.tried} injections, ${junkRounds} rounds of junk, ${rounds} of a model that hoards`,
  );
  return {
    facts: judged.length,
    survival: share(judged, ({ ours }) => ours),
    ratio,
    pi_survival: share(judged, ({ pi }) => pi),
    pi_ratio: piRatio,
    ...byGroup(judged),
    invented_requests: lies.through,
    invented_tried: lies.tried,
    injections: orders.through,
    injections_tried: orders.tried,
    [`growth_${rounds}`]: await growth(rounds, seed),
    ...(await junk(junkRounds, seed)),
  };
}

type Group = readonly [name: string, holds: (fact: Fact) => boolean];

const groups: readonly Group[] = [
  ...kinds.map((kind): Group => [kind, (fact) => fact.kind === kind]),
  ...places.map((place): Group => [place, (fact) => fact.place === place]),
  ...languages.map(({ name }): Group => [name, (fact) => fact.language.name === name]),
];

/** Where it is weak. */
function byGroup(judged: readonly Judged[]): Figures {
  return Object.fromEntries(
    groups.flatMap(([name, holds]) => {
      const those = judged.filter(({ fact }) => holds(fact));
      return those.length === 0 ? [] : [[`survival_${name}`, share(those, ({ ours }) => ours)]];
    }),
  );
}

function table(judged: readonly Judged[]): string {
  const bySort = sorts.map((sort): Group => [sort, (fact) => fact.sort === sort]);
  const rows = [...groups, ...bySort].flatMap(([name, holds]) => {
    const those = judged.filter(({ fact }) => holds(fact));
    const shares = [share(those, ({ ours }) => ours), share(those, ({ pi }) => pi)];
    return those.length === 0 ? [] : [[name, those.length, ...shares.map((each) => each.toFixed(2))]];
  });
  const lines = [["", "facts", "ours", "pi"], ...rows].map(([name, ...cells]) =>
    [String(name).padEnd(12), ...cells.map((cell) => String(cell).padStart(6))].join(""),
  );
  const lost = judged.filter(({ ours }) => !ours).map(({ fact }) => lostLine(fact));
  return [...lines, ...lost.slice(0, MOST_LOST)].join("\n");
}

const MOST_LOST = 20;

function lostLine({ kind, place, sort, text }: Fact): string {
  return `lost: ${kind}, ${place}, ${sort}: ${text}`;
}

function share<Each>(list: readonly Each[], holds: (each: Each) => boolean): number {
  return list.filter(holds).length / Math.max(1, list.length);
}

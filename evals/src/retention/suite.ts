/** Runs `pnpm eval keeping`: how many planted facts are left after many compactions without any model. */

import { random } from "@pith/bench/random";
import type { Figures, Settings, Suite } from "@pith/bench/suite";
import { type Texts, texts } from "@pith/bench/texts";
import { buildRequest, buildSessionContext, type CompactionEntry, type Session } from "@pith/context";
import { authorOf, collectFileLists, entryReference, readSummaryPartTexts } from "@pith/context/host";
import { type Facts, factsFrom, type Planted, plantedSession, to } from "./planted-session.ts";
import { firstMessage, lastChecks, namesFile, openErrors, showsCheck, showsError, showsFile } from "./shown-facts.ts";

export const keepingSuite: Suite = {
  name: "keeping",
  about: "20 rules, 200 file operations, 50 commands: what is left of them after 10 and 50 compactions without a model",
  run: runKeeping,
};

const ROUNDS = 10;
const WINDOW = 200_000;

async function runKeeping({ quick, seed, corpus, facts: file, say }: Settings): Promise<Figures> {
  const facts = factsFrom(file, random(seed));
  const text = texts(random(seed + 1), corpus);
  const planted = await plantedSession(facts, { contextWindow: WINDOW, rounds: ROUNDS, text });
  say(`${ROUNDS} compactions in a window of ${WINDOW} tokens`);
  const fronts: Front[] = [];
  for (let at = 0; at < ROUNDS; at++) fronts.push(await compacted(planted, at));
  const kept = await keptFacts(planted.session, facts);
  const more = quick ? 10 : 50 - ROUNDS;
  say(`${more} more`);
  for (let at = ROUNDS; at < ROUNDS + more; at++) fronts.push(await compacted(planted, at));
  const later = await keptFacts(planted.session, facts);
  return {
    rounds: ROUNDS,
    ...kept,
    prefix_kept: share(
      fronts,
      (front, at) => at === 0 || front.evicted || front.stable.startsWith(fronts[at - 1]?.stable ?? ""),
    ),
    evictions: fronts.filter(({ evicted }) => evicted).length,
    [`front_growth_${ROUNDS + more}`]: Math.max(...fronts.map(({ ofBudget }) => ofBudget)),
    [`pins_${ROUNDS + more}`]: later.pins,
    [`files_listed_${ROUNDS + more}`]: later.files_listed,
    ...(await keptInSmallWindow(facts, { rounds: ROUNDS, text })),
  };
}

const SMALL_WINDOW = 8_000;

/** In a window in which not all of the user's messages have room: each one that is gone is named in a receipt. */
async function keptInSmallWindow(facts: Facts, parts: { readonly rounds: number; readonly text: Texts }) {
  const { session, round } = await plantedSession(facts, { contextWindow: SMALL_WINDOW, ...parts });
  const notes: string[] = [];
  for (let at = 0; at < parts.rounds; at++) {
    const outcome = await round(at);
    if (outcome.type !== "compacted") throw new Error(`round ${at} was not compacted: ${JSON.stringify(outcome)}`);
    notes.push(
      ...outcome.receipt.findings.filter(({ code }) => code === "user-messages-evicted").map(({ note }) => note),
    );
  }
  const named = new Set(notes.flatMap((note) => note.match(/#\d+/g) ?? []));
  const front = firstMessage(buildRequest(buildSessionContext(session.branch), { model: to }));
  const inContext = new Set(session.branch.entries.map(({ id }) => id));
  const messages = (await session.branchEntries()).filter((entry) => authorOf(entry) === "person");
  const gone = messages.filter((entry) => !inContext.has(entry.id) && !front.includes(`[${entryReference(entry)}]`));
  return {
    small_window_messages: messages.length,
    small_window_evicted: gone.length,
    small_window_unnamed: gone.filter((entry) => !named.has(entryReference(entry))).length,
  };
}

interface Front {
  /** Pins and words: what should stay as it is. */
  readonly stable: string;
  readonly evicted: boolean;
  /** The whole front, as a share of what it may have. */
  readonly ofBudget: number;
}

async function compacted({ session, budget, round }: Planted, at: number): Promise<Front> {
  const outcome = await round(at);
  if (outcome.type !== "compacted") throw new Error(`round ${at} was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  const parts = readSummaryPartTexts(entry);
  const tokens = (kinds: readonly string[]): number =>
    parts.filter(({ part }) => kinds.includes(part.kind)).reduce((sum, { part }) => sum + part.tokens, 0);
  return {
    stable: parts
      .filter(({ part: { kind } }) => kind === "pins" || kind === "words")
      .map(({ text }) => text)
      .join(""),
    evicted: outcome.receipt.findings.some(({ code }) => code === "user-messages-evicted"),
    ofBudget: Math.max(
      tokens(["words"]) / budget.userMessages,
      tokens(["story", "notes", "ledger"]) / budget.checkpoint,
    ),
  };
}

async function keptFacts(session: Session, { rules, files, commands }: Facts) {
  const request = buildRequest(buildSessionContext(session.branch), { model: to });
  const system = request.system.map(({ text }) => text).join("\n");
  const front = firstMessage(request);
  const listed = collectFileLists(await session.branchEntries());
  const isListed = ({ path, did }: Facts["files"][number]): boolean => listed[did].includes(path);
  return {
    rules_in_files: share(rules.files, (rule) => system.includes(rule)),
    rules_in_system: share(rules.system, (rule) => system.includes(rule)),
    user_words: share(rules.chat, (rule) => front.includes(rule)),
    pins: share(rules.pins, (rule) => front.includes(rule)),
    files: share(files, (file) => isListed(file) && showsFile(front, file.path)),
    files_named: share(files, ({ path }) => namesFile(front, path)),
    files_listed: share(files, isListed),
    checks: share(lastChecks(commands, ROUNDS), (command) => showsCheck(front, command)),
    errors: share(openErrors(commands, ROUNDS), (command) => showsError(front, command)),
  };
}

function share<Each>(list: readonly Each[], holds: (each: Each, at: number) => boolean): number {
  return list.filter(holds).length / Math.max(1, list.length);
}

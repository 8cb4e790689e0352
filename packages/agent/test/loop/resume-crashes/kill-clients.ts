/**
 * Kills clients at random steps until a number of kills is reached, starts each again until it is done, and checks the sessions.
 * `pnpm test:resume [KILLS] [SEED]`: 500 kills, or the given number; fails if a message is lost, doubled or merged with another.
 */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentMessage, Entry } from "@pith/context";
import { openStore } from "@pith/context/node";
import { type ScriptRequest, type Step, startServer } from "@pith/testkit";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { findPendingWork } from "../../../src/pending-work.ts";

export interface KillReport {
  readonly kills: number;
  readonly sessions: number;
  /** Messages that are not in the session. */
  readonly lost: number;
  /** Messages that are in it more than once, and calls that must not run twice and did. */
  readonly doubled: number;
  /** Follow-ups without a reply before the next one. */
  readonly merged: number;
  /** Anything else that is wrong, such as a call without its result. */
  readonly faults: readonly string[];
}

interface ClientMessage {
  readonly id: string;
  readonly text: string;
}

/** The messages that each client sends. */
export interface ClientMessages {
  readonly prompt: ClientMessage;
  readonly steering: ClientMessage;
  readonly followUps: readonly ClientMessage[];
}

const MESSAGES: ClientMessages = {
  prompt: { id: "client-prompt", text: "Begin." },
  steering: { id: "client-steering", text: "Mind the tests." },
  followUps: ["One.", "Two.", "Three."].map((text, index) => ({ id: `client-follow-up-${index + 1}`, text })),
};

const CLIENT = join(import.meta.dirname, "crashing-client.ts");
const run = promisify(execFile);

/** `random` returns numbers from 0 to 1. */
export async function killClients(kills: number, random: () => number): Promise<KillReport> {
  const server = await startServer({ script: replyTo });
  const folder = mkdtempSync(join(tmpdir(), "pith-resume-"));
  try {
    const steps = await countSteps(join(folder, "whole"), server.url);
    let [count, sessions] = [0, 0];
    const report = { lost: 0, doubled: 0, merged: 0 };
    const faults: string[] = [];
    const runSessions = async (): Promise<void> => {
      while (count < kills) {
        sessions += 1;
        const place = mkdtempSync(join(folder, "session-"));
        const killedAt: number[] = [];
        // A client that was killed five times is left alone, so that each session ends.
        for (let isDone = false; !isDone; ) {
          const killAt = killedAt.length < 5 && count < kills ? 1 + Math.floor(random() * steps) : 0;
          isDone = (await runClient(place, server.url, killAt)) !== null;
          if (!isDone) count += 1;
          killedAt.push(killAt);
        }
        const { faults: found, ...counts } = await checkSession(place);
        report.lost += counts.lost;
        report.doubled += counts.doubled;
        report.merged += counts.merged;
        const isFaulty = found.length + counts.lost + counts.doubled + counts.merged > 0;
        if (isFaulty) faults.push(`killed at ${killedAt}: ${JSON.stringify({ ...counts, found })}`);
        rmSync(place, { recursive: true });
      }
    };
    await Promise.all([runSessions(), runSessions()]);
    return { kills: count, sessions, ...report, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  }
}

/** Two calls, then one, then the answer. */
function replyTo({ text, resultCount }: ScriptRequest): Step {
  const call = (name: string) => ({ type: "call", name, arguments: {} }) as const;
  if (resultCount === 0) return { parts: [call("look"), call("work")] };
  return resultCount === 2 ? { parts: [call("work")] } : `Answer to: ${text}`;
}

async function countSteps(folder: string, url: string): Promise<number> {
  mkdirSync(folder);
  const steps = await runClient(folder, url, 0);
  if (steps === null) throw new Error("the client was killed without a reason");
  return steps;
}

/** Returns the number of its steps; null if it was killed. */
async function runClient(folder: string, url: string, killAt: number): Promise<number | null> {
  try {
    return Number(
      (await run(process.execPath, [CLIENT, folder, url, String(killAt), JSON.stringify(MESSAGES)])).stdout,
    );
  } catch (error) {
    if ((error as { readonly signal?: string }).signal === "SIGKILL") return null;
    throw error;
  }
}

async function checkSession(folder: string): Promise<Omit<KillReport, "kills" | "sessions">> {
  const opened = await openStore(join(folder, "session.jsonl"), { mode: "follower" });
  if (opened.type !== "opened") throw new Error(`the session in ${folder} cannot be opened`);
  const { store } = opened;
  const all = await store.entriesFrom(0, Infinity);
  const branch = await store.branchEntries(await store.leaf());
  const { queue } = (await store.loadBranch(await store.leaf())).state;
  await store.close();
  const messages = branch.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const counts = [MESSAGES.prompt, MESSAGES.steering, ...MESSAGES.followUps].map(
    ({ text }) => messages.filter(isUserText(text)).length,
  );
  const calls = readLines(join(folder, "work.log"));
  return {
    lost: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length + calls.length - new Set(calls).size,
    merged: countMerged(messages),
    faults: [
      ...(all.length === branch.length ? [] : ["entries outside of the branch"]),
      ...(queue.length === 0 ? [] : ["messages in the queue"]),
      ...(findPendingWork(branch)?.type === "nothing" ? [] : ["unfinished work"]),
      ...listUnansweredCalls(branch).map((id) => `call ${id} has no result, or several`),
      ...(isInOrder(messages) ? [] : ["follow-ups in the wrong order"]),
    ],
  };
}

function isUserText(text: string): (message: AgentMessage) => boolean {
  return ({ role, ...message }) => role === "user" && JSON.stringify(message).includes(`"${text}"`);
}

function findFollowUps(messages: readonly AgentMessage[]): readonly number[] {
  return MESSAGES.followUps.map(({ text }) => messages.findIndex(isUserText(text)));
}

/** A follow-up must find the turn before it answered, its own prompt included. */
function countMerged(messages: readonly AgentMessage[]): number {
  return findFollowUps(messages).filter((index) => {
    const before = messages[index - 1];
    return index >= 0 && !(before?.role === "assistant" && before.stopReason === "stop");
  }).length;
}

function isInOrder(messages: readonly AgentMessage[]): boolean {
  const indexes = [messages.findIndex(isUserText(MESSAGES.prompt.text)), ...findFollowUps(messages)];
  return indexes.every((index, position) => position === 0 || index > (indexes[position - 1] ?? -1));
}

function listUnansweredCalls(entries: readonly Entry[]): readonly string[] {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const answers = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])) : [],
  );
  return calls.filter((id) => answers.filter((answer) => answer === id).length !== 1);
}

function readLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}

if (import.meta.main) {
  const [kills = "500", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
  const report = await killClients(Number(kills), createSeededRandom(Number(seed)));
  console.log(JSON.stringify({ seed: Number(seed), ...report }));
  if (report.lost + report.doubled + report.merged + report.faults.length > 0) process.exitCode = 1;
}

/** Finds what is wrong with the session after a random life of an agent. */

import { buildSessionContext, type Entry, MemoryStore, Session } from "@pith/context";
import { decodeSession } from "@pith/context/store";
import { testRuntime } from "@pith/context/testing";
import type { RandomRun, SentMessage } from "./life.ts";

export async function faultsOf(run: RandomRun): Promise<readonly string[]> {
  const branch = await run.session.branchEntries();
  const sent = run.sent.filter(({ words }) => !run.cleared.has(words));
  return [
    ...messageFaults(sent, allEntries(run.session)),
    ...(run.hasMoved ? [] : orderFaults(sent, branch)),
    ...callFaults(branch),
    ...run.ran.filter((id, at) => run.ran.indexOf(id) !== at).map((id) => `${id} was run twice`),
    ...(run.hasty > 0 ? ["a run said it was done while something waited"] : []),
    ...((await run.isOpen()) ? ["it is idle, and something is open"] : []),
    ...(await memoryFaults(run.session)),
  ];
}

/** Every message is delivered once, on some branch. */
function messageFaults(sent: readonly SentMessage[], entries: readonly Entry[]): readonly string[] {
  const userTexts = entries.flatMap(userWords);
  const times = ({ words }: SentMessage): number => userTexts.filter((each) => each === words).length;
  return sent.filter((each) => times(each) !== 1).map((each) => `${each.words} was delivered ${times(each)} times`);
}

/** Messages of each kind are delivered in order. */
function orderFaults(sent: readonly SentMessage[], branch: readonly Entry[]): readonly string[] {
  const userTexts = branch.flatMap(userWords);
  const kinds = ["prompt", "steer", "followUp"] as const;
  const disordered = kinds.filter((kind) => {
    const inOrder = sent.filter((each) => each.kind === kind).map(({ words }) => words);
    return userTexts.filter((words) => inOrder.includes(words)).join() !== inOrder.join();
  });
  return disordered.map((kind) => `the ${kind} messages are out of order`);
}

/** The entries of all branches. */
function allEntries({ store }: Session): readonly Entry[] {
  if (!(store instanceof MemoryStore)) throw new Error("a life is lived in memory");
  return decodeSession(store.bytes(), testRuntime("all-")).lines.map(({ entry }) => entry);
}

/** Every valid call has one result, before the next message. */
function callFaults(branch: readonly Entry[]): readonly string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const entry of branch) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "toolResult") {
      if (!open.delete(message.toolCallId)) faults.push(`${message.toolCallId} has a result too many`);
      continue;
    }
    if (open.size > 0) faults.push(`${[...open].join()} had no result when ${message.role} spoke`);
    open = new Set();
    if (message.role === "assistant" && message.stopReason === "toolUse")
      open = new Set(message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
  }
  return faults;
}

/** The loaded branch equals what another process reads (INV23). */
async function memoryFaults(session: Session): Promise<readonly string[]> {
  if (!(session.store instanceof MemoryStore)) throw new Error("a life is lived in memory");
  const ports = testRuntime("check-");
  const read = await Session.open(MemoryStore.open(session.store.bytes(), ports), ports);
  const context = ({ branch: window }: Session): string => JSON.stringify(buildSessionContext(window));
  return context(read) === context(session) ? [] : ["another process reads another context"];
}

function userWords(entry: Entry): readonly string[] {
  if (entry.type !== "message" || entry.message.role !== "user") return [];
  const [block] = entry.message.content;
  const text = typeof block === "string" ? block : block?.type === "text" ? block.text : "";
  return [text.split(" ")[0] ?? ""];
}

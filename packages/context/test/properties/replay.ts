/** Replays commands on the real session and on the plain one, and compares them after every command. */

import { buildSessionContext, type SessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { type Entry, MOVE_TYPE } from "../../src/entry.ts";
import { diskErrorCode } from "../../src/node/files.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import type { Runtime } from "../../src/runtime.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../src/session/session.ts";
import type { Store } from "../../src/session/store.ts";
import { findRuleViolations } from "../support/provider-rules/provider-rules.ts";
import type { Command } from "./commands.ts";
import { drafts, models, pick } from "./drafts.ts";
import { type PlainSession, plainAppend, plainBranch, plainContext, plainState } from "./plain-model.ts";
import { sentFaults } from "./sent-invariants.ts";
import { type Fault, type Home, inMemory, type StoreFactory } from "./stores.ts";

interface ReplayState {
  readonly ports: Runtime;
  readonly clock: { offset: number; time: number };
  readonly home: Home;
  session: Session;
  plain: PlainSession;
  step: number;
  /** Leaves seen on the way, with the context each had then. */
  readonly contexts: Map<string, string>;
  /** The plain session after each append, by the length of the file then. */
  history: { readonly length: number; readonly plain: PlainSession }[];
}

export function replayOn(createStore: StoreFactory): (commands: readonly Command[]) => Promise<void> {
  return async (commands) => {
    const state = await startReplay(createStore);
    try {
      for (const command of commands) {
        state.step++;
        // The torn end that a crash left is cut off by the next append; all that is whole stays.
        const before = state.home.bytes().slice(0, state.history.at(-1)?.length);
        await perform(state, command);
        await compare(state, command, before);
      }
      await checkEnd(state);
    } finally {
      state.home.end();
    }
  };
}

/** The session after the commands, without checks. */
export async function runInMemory(commands: readonly Command[]): Promise<MemoryStore> {
  const state = await startReplay(inMemory);
  for (const command of commands) {
    state.step++;
    await perform(state, command);
  }
  return state.home.store as MemoryStore;
}

async function startReplay(createStore: StoreFactory): Promise<ReplayState> {
  const clock = { offset: 0, time: 1.7e12 };
  let ids = 0;
  const ports: Runtime = {
    ...nodeRuntime,
    now: () => {
      clock.time += 1000;
      return clock.time + clock.offset;
    },
    entryId: () => `id-${++ids}`,
  };
  const home = await createStore(ports);
  const session = await Session.open(home.store, ports);
  const plain: PlainSession = { entries: [], leaf: null };
  const history = [{ length: home.bytes().length, plain }];
  return { ports, clock, home, session, plain, step: 0, contexts: new Map(), history };
}

async function perform(state: ReplayState, command: Command): Promise<void> {
  const { session, plain } = state;
  switch (command.do) {
    case "move":
      return move(state, command.which % 17 === 0 ? null : (pick(plain.entries, command.which)?.id ?? null));
    case "leave": {
      const fromId = session.leaf ?? "root";
      await move(state, pick(plain.entries, command.which)?.id ?? null);
      return append(state, [{ type: "branch_summary", fromId, summary: `left ${state.step}` }]);
    }
    case "fork":
      return forkAndStay(state, pick(plain.entries, command.which)?.id ?? null);
    case "reopen":
      return reopen(state);
    case "fault":
      return appendWithFault(state, command);
    case "rival":
      return rival(state, command.takeOver);
    case "crash":
      return crash(state, command.bytes);
    case "clock":
      state.clock.offset += command.by;
      return;
    default: {
      const place = {
        branch: plainBranch(plain, plain.leaf),
        all: plain.entries,
        step: state.step,
        time: state.ports.now(),
      };
      return append(state, drafts(command, place));
    }
  }
}

async function append(state: ReplayState, batch: readonly NewEntry[]): Promise<void> {
  if (batch.length === 0) return;
  await state.session.append(...batch);
  await follow(state, batch, state.plain.leaf);
}

async function move(state: ReplayState, target: string | null): Promise<void> {
  await state.session.move(target);
  await follow(state, [{ type: "custom", customType: MOVE_TYPE }], target);
}

/** Appends the same to the plain session; of the real one it takes only the ids, times and numbers. */
async function follow(state: ReplayState, batch: readonly NewEntry[], parent: string | null): Promise<void> {
  const { home, session } = state;
  const given = await lastOf(home.store, session.leaf, batch.length);
  let parentId = parent;
  const added = batch.map((draft, at) => {
    const { id = "", timestamp = "", number } = given[at] ?? {};
    const expectedEntry = { ...draft, id, parentId, timestamp, number } as Entry;
    // WIN2: a compaction also carries the state at its place; that is held against the plain session elsewhere.
    const entry =
      expectedEntry.type === "compaction" && given[at]?.type === "compaction"
        ? { ...expectedEntry, details: given[at].details }
        : expectedEntry;
    same("TREE2 LOG1 what was appended is kept, in its place", sorted(given[at]), sorted(entry));
    parentId = id;
    return entry;
  });
  state.plain = plainAppend(state.plain, added);
  state.history.push({ length: home.bytes().length, plain: state.plain });
}

async function lastOf(store: Store, leaf: string | null, count: number): Promise<readonly Entry[]> {
  const last: Entry[] = [];
  for (let id = leaf; id !== null && last.length < count; id = last[0]?.parentId ?? null) {
    const entry = await store.entry(id);
    if (!entry) throw new Error(`TREE1 entry ${id} is not there`);
    last.unshift(entry);
  }
  return last;
}

function sorted(entry: Entry | undefined): unknown {
  // A line of an unknown kind holds its place among its own members; a file gives them back.
  const { id, parentId, timestamp, number, ...rest } = entry?.type === "unknown" ? entry.value : {};
  const plain = entry?.type === "unknown" ? { ...entry, value: rest } : { ...entry };
  return Object.entries(plain).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function reopen(state: ReplayState, lost = 0): Promise<void> {
  await state.home.reopen(lost);
  state.session = await Session.open(state.home.store, state.ports);
}

// The file loses its last bytes: whatever was not whole by then was never acknowledged.
async function crash(state: ReplayState, bytes: number): Promise<void> {
  const whole = state.home.bytes().length;
  const first = state.history[0]?.length ?? 0;
  const length = Math.max(first, whole - bytes);
  const survived = state.history.filter((point) => point.length <= length + 1);
  state.history = survived;
  state.plain = survived.at(-1)?.plain ?? state.plain;
  for (const leaf of state.contexts.keys())
    if (!state.plain.entries.some((entry) => entry.id === leaf)) state.contexts.delete(leaf);
  await reopen(state, whole - length);
}

// Something goes wrong while two entries are being written at once: both are there afterwards, or neither.
async function appendWithFault(state: ReplayState, fault: Fault): Promise<void> {
  const { home, session, plain, step } = state;
  if (!home.plan(fault)) return;
  const ids = [`first-${step}`, `after-${step}`];
  const batch = ids.map((id): NewEntry => ({ id, type: "custom", customType: "faulty", data: "x".repeat(100) }));
  const outcome = await session.append(...batch).catch((error: Error) => {
    if (error.name !== "Crashed") throw error;
    return null;
  });
  if (outcome?.type === "appended") await follow(state, batch, plain.leaf).catch(onlyCrashes);
  else if (outcome) same("D5 D6 a refusal changes nothing", session.leaf, plain.leaf);
  await home.recover(fault);
  state.session = await Session.open(home.store, state.ports);
  const leaf = state.session.leaf;
  if (outcome?.type === "appended") same("D1 D4 what was acknowledged is there", leaf, ids[1]);
  if (leaf === ids[1] && state.plain.leaf !== leaf) await follow(state, batch, state.plain.leaf);
  same(`D1 D4 after "${fault.kind}" it stands where it was acknowledged to stand`, leaf, state.plain.leaf);
}

// While the disk still fails nothing can be read; it is read again after the recovery.
function onlyCrashes(error: Error): void {
  if (error.name !== "Crashed" && diskErrorCode(error) === "") throw error;
}

// INV33: one wins, the other is refused; nothing is lost.
async function rival(state: ReplayState, takeOver: boolean): Promise<void> {
  const { home, session, plain } = state;
  const opened = await home.rival(takeOver);
  if (opened === null) return;
  same("D7 a second writer gets in only by taking over", opened.type, takeOver ? "opened" : "held");
  if (opened.type !== "opened") return;
  const refused = await session.append({ type: "custom", customType: "late" });
  same("INV33 the first writer is refused", refused, { type: "refused", why: "lease-lost", leaf: plain.leaf });
  home.succeed(opened.store);
  state.session = await Session.open(opened.store, state.ports);
}

async function forkAndStay(state: ReplayState, leaf: string | null): Promise<void> {
  const bytes = await state.session.fork({ leaf });
  const copy = MemoryStore.open(bytes, state.ports);
  same(
    "INV38 a fork has the context of its leaf",
    await contextAt(copy, await copy.leaf()),
    await contextAt(state.home.store, leaf),
  );
  for (const entry of await state.home.store.branchEntries(leaf)) {
    const again = await copy.entry(entry.id);
    // Labels do not come along.
    if (again) same("NUM3 a fork keeps the numbers of its entries", again.number, entry.number);
    if (entry.type !== "unknown") continue;
    same("INV29 unknown entries survive a fork", again?.type === "unknown" && again.value.text, entry.value.text);
  }
}

async function compare(state: ReplayState, command: Command, before: Uint8Array): Promise<void> {
  const { home, session, plain } = state;
  const bytes = home.bytes().slice();
  const again = await home.again();
  const live = JSON.stringify(buildSessionContext(session.branch).messages);
  same("CTX1 the context is that of the plain session", live, JSON.stringify(plainContext(plain, plain.leaf)));
  same("INV23 rebuilt from the file it is the same", await contextAt(again, session.leaf), live);
  same("INV24 opening writes nothing", home.bytes(), bytes);
  same("WIN2 the state at the leaf", session.branch.state, plainState(plain, plain.leaf));
  same("INV32 the leaf is stored", await again.leaf(), session.leaf);
  if (command.do !== "crash")
    same("INV26 the old file is a prefix of the new", bytes.subarray(0, before.length), before);
  if (session.leaf !== null) state.contexts.set(session.leaf, live);
}

async function checkEnd(state: ReplayState): Promise<void> {
  const { home, session } = state;
  const bytes = home.bytes();
  const again = await home.again();
  const held = MemoryStore.open(bytes, state.ports);
  for (const [leaf, context] of state.contexts)
    for (const store of [again, held])
      same("INV31 what happens elsewhere never changes a leaf's context", await contextAt(store, leaf), context);
  await checkTree(state, again);
  await checkTimeless(state, bytes);
  checkSent(session);
}

async function checkTree({ plain }: ReplayState, store: Store): Promise<void> {
  const reached: string[] = [];
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    reached.push(entry.id);
    waiting.push(...(await store.children(entry.id)));
  }
  same("INV25 INV27 every entry is reachable, once", reached.sort(), plain.entries.map((entry) => entry.id).sort());
  const order = new Map(plain.entries.map((entry, at) => [entry.id, at]));
  for (const { id, parentId } of plain.entries)
    if (parentId !== null && (order.get(parentId) ?? Number.POSITIVE_INFINITY) >= (order.get(id) ?? -1))
      throw new Error(`INV27 ${parentId} comes after its child ${id}`);
  let last = 0;
  for (const { id, number = 0 } of plain.entries) {
    if (number <= last) throw new Error(`NUM1 ${id} has the number ${number} behind ${last}`);
    last = number;
    same("NUM2 its number finds it", (await store.entryByNumber(number))?.id, id);
  }
}

// INV28: turn the order of all times around; nothing but the times themselves may change.
async function checkTimeless({ ports, session }: ReplayState, bytes: Uint8Array): Promise<void> {
  const store = MemoryStore.open(bytes, ports);
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
  const years = lines.length;
  const bare = lines.map((line, at) =>
    line
      .replace(/(?:,"up":\d+)?(?:,"batch":\[\d+,\d+\])?,"crc":"[0-9a-f]{8}"\}$/, "}")
      .replace(/"pith":\{"format":1\}/, '"was":1')
      .replace(
        /^(\{"type":"[a-z_]+","id":"[^"]+","parentId":(?:null|"[^"]+"),"timestamp":)"[^"]*"/,
        `$1"${3000 - (at % years)}-01-01T00:00:00.000Z"`,
      ),
  );
  const turned = MemoryStore.open(new TextEncoder().encode(`${bare.join("\n")}\n`), ports);
  const timeless = (json: string): string => json.replace(/"timestamp":(\d+|null)/g, '"timestamp":0');
  same(
    "INV28 order comes from the file, never from times",
    timeless(await contextAt(turned, session.leaf)),
    timeless(await contextAt(store, session.leaf)),
  );
}

function checkSent(session: Session): void {
  const context = buildSessionContext(session.branch);
  const grown =
    context.messages.map((_, at) => convertToLlm(context.messages.slice(0, at + 1), models[0])).at(-1) ?? [];
  same(
    "CTX1 a conversion that went on where it stood is one from the start",
    grown,
    convertToLlm(structuredClone(context.messages), models[0]),
  );
  const plainFaults = sentFaults(context.messages, convertToLlm(context.messages));
  if (plainFaults.length > 0) throw new Error(plainFaults.join("\n"));
  expectSendable(context);
}

/** What is sent to each model follows the rules of its provider and the invariants. */
export function expectSendable(context: SessionContext): void {
  for (const to of models) {
    const request = buildRequest(context, { model: to });
    // Without a message there is nothing to send.
    if (request.messages.every((message) => message.role === "system")) continue;
    const faults = [...findRuleViolations(request, to), ...sentFaults(context.messages, request.messages)];
    if (faults.length > 0) throw new Error(`to ${to.api}: ${faults.join("\n")}`);
  }
}

async function contextAt(store: Store, leaf: string | null): Promise<string> {
  return JSON.stringify(buildSessionContext(await store.loadBranch(leaf)).messages);
}

export function same(rule: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  if (actual instanceof Uint8Array && expected instanceof Uint8Array && Buffer.compare(actual, expected) === 0) return;
  const [got, wanted] = [actual, expected].map((value) =>
    value instanceof Uint8Array ? `${Buffer.from(value)}` : JSON.stringify(value),
  );
  if (got !== wanted) throw new Error(`${rule}\n  got      ${got}\n  expected ${wanted}`);
}

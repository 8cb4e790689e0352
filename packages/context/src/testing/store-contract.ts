/** Tests what every `Store` must do: a suite for any test runner and any store. */

import type { Entry } from "../entry.ts";
import { loadBranch } from "../session/loaded-branch.ts";
import { type NewEntry, Session } from "../session/session.ts";
import { QUEUE_TYPE } from "../session/state.ts";
import type { AppendResult, Store } from "../session/store.ts";
import { testRuntime } from "./scripted-model.ts";
import { story } from "./story.ts";

/** The functions of a test runner, passed in so that the contract does not depend on one. */
export interface ContractRunner {
  test(name: string, run: () => Promise<void>): void;
  equal(actual: unknown, expected: unknown): void;
}

/** Creates the stores under test. */
export interface StoreFactory {
  /** Creates a new, empty store. */
  create(): Promise<Store>;
  /** Opens the same session as another process would, for reading. */
  reopen(store: Store): Promise<Store>;
  /** Opens the same session for writing, as another process would after the first one was lost. */
  takeOver(store: Store): Promise<Store>;
}

/** Registers the tests that every store must pass. */
export function storeContract({ test, equal }: ContractRunner, stores: StoreFactory): void {
  const createFilledStore = async (entries: readonly Entry[]): Promise<Store> => {
    const store = await stores.create();
    await appendEach(store, entries);
    return store;
  };

  test("STO1 a new store is empty", async () => {
    const store = await stores.create();
    equal(await store.leaf(), null);
    equal(await store.children(null), []);
    equal((await store.loadBranch(null)).entries, []);
  });

  test("STO2 appended entries can be read, also by another process", async () => {
    const store = await createFilledStore(twoBranchEntries);
    for (const each of [store, await stores.reopen(store)]) {
      equal(await each.leaf(), "e8");
      equal(await each.branchEntries("e8"), selectEntries(twoBranchEntries, "e1 e2 e7 e8"));
      equal(await each.branchEntries("e6"), selectEntries(twoBranchEntries, "e1 e2 e3 e4 e5 e6"));
      equal(await each.children("e2"), selectEntries(twoBranchEntries, "e3 e7"));
      equal(await each.entry("e4"), twoBranchEntries[3]);
      equal(await each.entry("e99"), undefined);
    }
  });

  test("STO3 a loaded branch equals the one built from its entries", async () => {
    const store = await createFilledStore(entriesWithCompaction);
    for (const leaf of ["e2", "e4", "e5", "e6"]) {
      equal(await store.loadBranch(leaf), loadBranch(await store.branchEntries(leaf)));
    }
    equal(
      (await store.loadBranch("e6")).entries.map((entry) => entry.id),
      ["e3", "e4", "e5", "e6"],
    );
  });

  test("STO4 a batch is appended completely or not at all", async () => {
    const store = await createFilledStore(twoBranchEntries.slice(0, 2));
    const [good, bad] = [twoBranchEntries[2], { ...twoBranchEntries[3], parentId: "e99" }] as readonly Entry[];
    equal(
      await isAppendRefused(
        store,
        [good, bad].filter((entry) => entry !== undefined),
      ),
      true,
    );
    equal(await store.leaf(), "e2");
    equal(await (await stores.reopen(store)).leaf(), "e2");
    equal(await store.append(twoBranchEntries.slice(2, 6), { expectedLeaf: "e2" }), { type: "appended", leaf: "e6" });
  });

  test("STO5 an append with an outdated leaf returns the current leaf", async () => {
    const store = await createFilledStore(twoBranchEntries.slice(0, 3));
    equal(await store.append(twoBranchEntries.slice(3, 4), { expectedLeaf: "e2" }), { type: "leaf-moved", leaf: "e3" });
    equal(await store.entry("e4"), undefined);
  });

  test("STO6 appending the same entry again does nothing; other content with its id is rejected", async () => {
    const store = await createFilledStore(twoBranchEntries.slice(0, 3));
    equal(await store.append(twoBranchEntries.slice(2, 3), { expectedLeaf: "e2" }), { type: "appended", leaf: "e3" });
    const other = { ...twoBranchEntries[2], timestamp: "2026-02-02T00:00:00.000Z" } as Entry;
    equal(await isAppendRefused(store, [other]), true);
    equal(await store.entry("e3"), twoBranchEntries[2]);
  });

  test("STO7 the latest label and name in the file win", async () => {
    const store = await createFilledStore(entriesWithLabels);
    for (const each of [store, await stores.reopen(store)]) {
      equal([...(await each.labels())], [["e2", "second"]]);
      equal(await each.name(), "a better name");
    }
  });

  test("STO8 the common ancestor is the deepest shared entry of two branches", async () => {
    const store = await createFilledStore(twoBranchEntries);
    equal(await store.commonAncestor("e6", "e8"), "e2");
    equal(await store.commonAncestor("e3", "e6"), "e3");
    equal(await store.commonAncestor("e6", null), null);
  });

  test("STO9 lines are returned as they were written", async () => {
    const store = await createFilledStore(twoBranchEntries);
    for (const each of [store, await stores.reopen(store)]) {
      equal(await each.line("e4"), JSON.stringify(twoBranchEntries[3]));
      equal(await each.line("e99"), undefined);
    }
  });

  test("STO10 a compaction whose first kept entry is not on its branch, or is a result without its call, is rejected", async () => {
    const store = await createFilledStore(twoBranchEntries);
    for (const firstKeptEntryId of ["e4", "e99"]) {
      const entry = { ...createTestCompaction("e8"), firstKeptEntryId } as Entry;
      equal(await isAppendRefused(store, [entry]), true);
    }
    equal(await store.append([createTestCompaction("e8")], { expectedLeaf: "e8" }), { type: "appended", leaf: "c" });
  });

  test("STO11 loading the branch of an unknown entry throws an error that names it", async () => {
    const store = await createFilledStore(twoBranchEntries);
    equal(await rejectionMessage(store.loadBranch("e99")), "entry e99 is not in this session");
    equal(await rejectionMessage(store.branchEntries("e99")), "entry e99 is not in this session");
  });

  test("STO12 branch summaries are found by the leaf they summarize, on any branch, in file order", async () => {
    const store = await createFilledStore(entriesWithBranchSummaries);
    for (const each of [store, await stores.reopen(store)]) {
      equal(await each.branchSummaries(new Set(["e2", "e99"])), selectEntries(entriesWithBranchSummaries, "e4 e9"));
      equal(await each.branchSummaries(new Set(["e6", "e2"])), selectEntries(entriesWithBranchSummaries, "e4 e7 e9"));
      equal(await each.branchSummaries(new Set(["root"])), selectEntries(entriesWithBranchSummaries, "e11"));
      equal(await each.branchSummaries(new Set(["e1"])), []);
      equal(await each.branchSummaries(new Set()), []);
    }
  });

  test("STO13 an entry is found by its number; entries without one get the next", async () => {
    const store = await createFilledStore(twoBranchEntries);
    const compaction = { ...createTestCompaction("e8"), id: "e9" };
    equal(await store.append([compaction], { expectedLeaf: "e8" }), { type: "appended", leaf: "e9" });
    for (const each of [store, await stores.reopen(store)]) {
      equal(await each.lastNumber(), 9);
      equal(await each.entryByNumber(4), twoBranchEntries[3]);
      equal(await each.entryByNumber(9), { ...compaction, number: 9 });
      for (const unused of [0, 10]) equal(await each.entryByNumber(unused), undefined);
    }
    equal(await isAppendRefused(store, [{ ...createTestCompaction("e9"), number: 9 }]), true);
  });

  test("STO14 entries are read in the order of the log from any position", async () => {
    const store = await createFilledStore(twoBranchEntries);
    for (const each of [store, await stores.reopen(store)]) {
      equal(await each.entriesFrom(0, 100), twoBranchEntries);
      equal(await each.entriesFrom(5, 2), selectEntries(twoBranchEntries, "e6 e7"));
      equal(await each.entriesFrom(8, 10), []);
    }
  });

  test("STO15 a writer that was taken over is refused, whatever leaf it expects, and the session stays as it is", async () => {
    const [first, second, third, fourth] = twoBranchEntries;
    const store = await createFilledStore(toBatch(first, second));
    const next = await stores.takeOver(store);
    for (const expectedLeaf of ["e2", "e1", null])
      equal(refusalOf(await store.append(toBatch(third), { expectedLeaf })), "lease-lost");
    equal(await next.append(toBatch(third), { expectedLeaf: "e2" }), { type: "appended", leaf: "e3" });
    equal(refusalOf(await store.append(toBatch(fourth), { expectedLeaf: "e3" })), "lease-lost");
    equal(await next.leaf(), "e3");
    const last = await stores.takeOver(next);
    equal(refusalOf(await next.append(toBatch(fourth), { expectedLeaf: "e3" })), "lease-lost");
    equal(await last.append(toBatch(fourth), { expectedLeaf: "e3" }), { type: "appended", leaf: "e4" });
    equal(await (await stores.reopen(last)).branchEntries("e4"), selectEntries(twoBranchEntries, "e1 e2 e3 e4"));
  });

  test("STO16 a batch whose answer was lost is appended again by any writer, also after later entries, and is there once", async () => {
    const store = await createFilledStore(twoBranchEntries.slice(0, 2));
    const batch = twoBranchEntries.slice(2, 4);
    equal(await store.append(batch, { expectedLeaf: "e2" }), { type: "appended", leaf: "e4" });
    equal(await store.append(batch, { expectedLeaf: "e2" }), { type: "appended", leaf: "e4" });
    const next = await stores.takeOver(store);
    equal(await next.append(batch, { expectedLeaf: "e2" }), { type: "appended", leaf: "e4" });
    equal(await next.append(twoBranchEntries.slice(4, 5), { expectedLeaf: "e4" }), { type: "appended", leaf: "e5" });
    equal(await next.append(batch, { expectedLeaf: "e2" }), { type: "appended", leaf: "e5" });
    equal(await (await stores.reopen(next)).entriesFrom(0, 100), twoBranchEntries.slice(0, 5));
    // A batch of which only a part is stored is another batch.
    equal(await isAppendRefused(next, twoBranchEntries.slice(4, 6)), true);
  });

  test("STO17 of two appends at once at one leaf, one is appended and the other gets the new leaf", async () => {
    const store = await createFilledStore(twoBranchEntries.slice(0, 2));
    const entries = ["a", "b"].map((id) => ({ ...twoBranchEntries[2], id, number: 3 }) as Entry);
    const results = await Promise.all(entries.map((entry) => store.append([entry], { expectedLeaf: "e2" })));
    equal(results.map(({ type }) => type).sort(), ["appended", "leaf-moved"]);
    const leaf = await store.leaf();
    equal(new Set(results.map((result) => result.leaf)), new Set([leaf]));
    equal(
      await store.entriesFrom(2, 10),
      entries.filter(({ id }) => id === leaf),
    );
  });

  test("STO18 the next writer continues a session with its state, queue and numbers", async () => {
    const store = await stores.create();
    const session = await Session.open(store, testRuntime("a"));
    await session.append(userMessage("begin"), { type: "thinking_level_change", thinkingLevel: "high" });
    await session.append({
      type: "custom",
      customType: QUEUE_TYPE,
      data: { id: "q1", kind: "followUp", content: "then" },
    });
    const next = await Session.open(await stores.takeOver(store), testRuntime("b"));
    await next.loadState();
    equal(next.branch.state.thinkingLevel, "high");
    equal(
      next.branch.state.queue.map(({ id }) => id),
      ["q1"],
    );
    equal((await next.append({ ...userMessage("then"), id: "q1" })).type, "appended");
    equal(next.branch.state.queue, []);
    equal(refusalOf(await session.append(userMessage("too late"))), "lease-lost");
    equal(
      (await next.store.entriesFrom(0, 100)).map(({ number }) => number),
      [1, 2, 3, 4],
    );
  });
}

const twoBranchEntries = story(
  "user: hello",
  "says: hi",
  "user: read it",
  "calls: read",
  "result: text",
  "says: done",
  "moves: e2",
  "user: else",
);
const entriesWithCompaction = story(
  "user: one",
  "says: two",
  "user: three",
  "says: four",
  "compacts: one and two, keeps e3",
  "user: five",
);
const entriesWithBranchSummaries = story(
  "user: one",
  "says: two",
  "moves: e1",
  "left e2: two was tried",
  "user: three",
  "says: e2",
  "left e6: three was tried",
  "moves: root",
  "left e2: two was tried, from here",
  "user: four",
  "left: nothing was tried",
);
const entriesWithLabels = story(
  "user: one",
  "says: two",
  "labels e1: first",
  "labels e2: second",
  "names: a name",
  "names: a better name",
  "labels e1",
);

function createTestCompaction(parentId: string): Entry {
  const timestamp = "2026-01-01T01:00:00.000Z";
  return {
    type: "compaction",
    id: "c",
    parentId,
    timestamp,
    summary: "short",
    firstKeptEntryId: "e7",
    tokensBefore: 10,
  };
}

function userMessage(text: string): NewEntry {
  return { type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 0 } };
}

function toBatch(...entries: readonly (Entry | undefined)[]): readonly Entry[] {
  return entries.filter((entry) => entry !== undefined);
}

function refusalOf(result: AppendResult): string {
  return result.type === "refused" ? result.why : result.type;
}

function selectEntries(entries: readonly Entry[], ids: string): readonly Entry[] {
  return ids.split(" ").flatMap((id) => entries.filter((entry) => entry.id === id));
}

async function appendEach(store: Store, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) await store.append([entry], { expectedLeaf: await store.leaf() });
}

async function rejectionMessage(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "the promise was fulfilled",
    (error: Error) => error.message,
  );
}

async function isAppendRefused(store: Store, batch: readonly Entry[]): Promise<boolean> {
  const expectedLeaf = await store.leaf();
  try {
    await store.append(batch, { expectedLeaf });
    return false;
  } catch {
    // The contract requires an error; its text is up to the store.
    return true;
  }
}

/** Implements the RPC commands on the session tree: read entries, navigate, set labels and list messages to fork from. */

import type { RpcCommands, RpcParams, RpcResult, RpcTreeNode } from "@pith/client";
import type { Entry } from "@pith/context";
import { authorOf, sanitizeLine } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import { written } from "../../../commands/command.ts";
import { moveTold } from "../../../commands/tree.ts";
import { entryDisplayText } from "../../../sessions/entries.ts";
import { entryOrRoot, flag, name, nameOrNone, optional, text } from "../parse-command.ts";
import { done, failed, type Outcome, type Rows, type Seat } from "../rpc-context.ts";

export async function moved(
  { entryId, ...wish }: RpcParams<"navigate_tree">,
  { ready }: Seat,
): Promise<Outcome<RpcResult<"navigate_tree">>> {
  const { agent } = ready.built;
  if (entryId !== null && !(await agent.session.store.entry(entryId)))
    return failed(`there is no entry ${entryId.slice(0, 60)}; get_entries has their ids`);
  const outcome = await agent.navigateTree(entryId, wish);
  const leafId = agent.session.leaf;
  switch (outcome.type) {
    case "moved": {
      const { editorText } = outcome;
      return done({ cancelled: false, leafId, ...(editorText !== undefined && { editorText }) });
    }
    case "nothing-to-do":
      return done({ cancelled: false, leafId });
    case "cancelled":
      return done({ cancelled: true, leafId });
    case "refused":
    case "failed":
    case "files-in-the-way": {
      const told = moveTold(outcome, agent.session);
      return failed(told.type === "failed" ? told.message : "nobody has moved");
    }
  }
}

/** By time, and a parent always before its children, whatever the clock said. */
export async function entriesOf(store: Store): Promise<readonly Entry[]> {
  const all: { readonly entry: Entry; readonly time: string }[] = [];
  const waiting = (await store.children(null)).toReversed().map((entry) => ({ entry, before: "" }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, before } = next;
    const time = [entry.timestamp, before].toSorted().at(-1) ?? "";
    all.push({ entry, time });
    const children = await store.children(entry.id);
    waiting.push(...children.toReversed().map((child) => ({ entry: child, before: time })));
    // A long session must not hold up whoever else works here.
    if (all.length % BREATH === 0) await new Promise(setImmediate);
  }
  return all
    .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
    .map(({ entry }) => entry);
}

const BREATH = 1_000;

/** Null where it is so deep that nobody could read it as one value. */
export async function treeOf(store: Store): Promise<readonly RpcTreeNode[] | null> {
  const labels = await store.labels();
  const roots: Draft[] = [];
  const known = new Map<string, Draft>();
  for (const entry of await entriesOf(store)) {
    const parent = entry.parentId === null ? undefined : known.get(entry.parentId);
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > DEEPEST) return null;
    const node: Draft = { entry, children: [], depth, label: labels.get(entry.id) };
    known.set(entry.id, node);
    (parent?.children ?? roots).push(node);
  }
  return roots.map(nodeOf);
}

const DEEPEST = 1_000;

interface Draft {
  readonly entry: Entry;
  readonly children: Draft[];
  readonly depth: number;
  readonly label: string | undefined;
}

function nodeOf({ entry, children, label }: Draft): RpcTreeNode {
  return { entry, children: children.map(nodeOf), ...(label !== undefined && { label }) };
}

export const walking: Rows<
  keyof Pick<RpcCommands, "get_entries" | "get_tree" | "navigate_tree" | "abort_branch_summary" | "set_label">
> = {
  get_entries: {
    says: "all entries of all branches, a parent before its children; with `since` those behind that entry in this order",
    example: { type: "get_entries" },
    fields: { since: optional(name) },
    run: async ({ since }, { ready }) => {
      const { session } = ready.built.agent;
      const entries = await entriesOf(session.store);
      const at = since === undefined ? -1 : entries.findIndex(({ id }) => id === since);
      if (since !== undefined && at < 0)
        return failed(`there is no entry ${since.slice(0, 60)} here; leave "since" out to have all of them`);
      return done({ entries: entries.slice(at + 1), leafId: session.leaf });
    },
  },
  get_tree: {
    says: "the same as a tree of `{ entry, children, label? }`; refused where it is deeper than 1000 entries: then take `get_entries`, which name their parents",
    example: { type: "get_tree" },
    fields: {},
    run: async (_, { ready }) => {
      const { session } = ready.built.agent;
      const tree = await treeOf(session.store);
      if (tree === null)
        return failed("the tree is deeper than 1000 entries; take get_entries, which name their parents");
      return done({ tree, leafId: session.leaf });
    },
  },
  navigate_tree: {
    says: "stand at another entry (null: before the first); `summarize` has what is left told there. Of a message of the user one stands before it, and `editorText` are its words",
    example: { type: "navigate_tree", entryId: "3f2a9c11", summarize: true },
    fields: {
      entryId: entryOrRoot,
      summarize: optional(flag),
      customInstructions: optional(text),
      replaceInstructions: optional(flag),
      label: optional(nameOrNone),
    },
    run: (takes, seat) => moved(takes, seat),
  },
  abort_branch_summary: {
    says: "end a move whose summary is being written; one stays where one was",
    example: { type: "abort_branch_summary" },
    fields: {},
    lane: "urgent",
    run: async (_, { ready }) => {
      const { agent } = ready.built;
      if (agent.session.busyReasons.includes("moving")) await agent.abort();
      return done(null);
    },
  },
  set_label: {
    says: "name an entry; without `label` its name is taken away",
    example: { type: "set_label", entryId: "3f2a9c11", label: "before the rewrite" },
    fields: { entryId: name, label: optional(nameOrNone) },
    run: async ({ entryId, label = "" }, { ready }) => {
      const { agent } = ready.built;
      if (!(await agent.session.store.entry(entryId)))
        return failed(`there is no entry ${entryId.slice(0, 60)}; get_entries has their ids`);
      const shown = sanitizeLine(label);
      const appended = await agent.appendToSession((session) =>
        session.append({ type: "label", targetId: entryId, ...(shown !== "" && { label: shown }) }),
      );
      const answer = written(appended, () => ({ type: "quit" }));
      return answer.type === "failed" ? failed(answer.message) : done(null);
    },
  },
};

export async function forkMessages({ ready }: Seat): Promise<Outcome<RpcResult<"get_fork_messages">>> {
  const branch = await ready.built.agent.session.branchEntries();
  const said = branch.filter((entry) => entry.type === "message" && authorOf(entry) === "person");
  return done({ messages: said.map((entry) => ({ entryId: entry.id, text: entryDisplayText(entry) })) });
}

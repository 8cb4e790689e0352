/** Implements the RPC commands on the session tree: read entries, navigate, set labels and list messages to fork from. */

import type { Agent } from "@pith/agent";
import type { RpcCommands, RpcParams, RpcResult, RpcTreeNode } from "@pith/client";
import type { Entry, Session } from "@pith/context";
import { authorOf, sanitizeLine } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import { toCommandResult } from "../../../commands/command.ts";
import { reportMove } from "../../../commands/tree.ts";
import { entryDisplayText } from "../../../sessions/entries.ts";
import {
  booleanField,
  entryIdOrNullField,
  nameField,
  nameOrEmptyField,
  optional,
  textField,
} from "../parse-command.ts";
import { failure, type Outcome, type RpcCommandDefinitions, success, unknownEntry } from "../rpc-context.ts";

async function navigateTree(
  { entryId, ...options }: RpcParams<"navigate_tree">,
  agent: Agent,
): Promise<Outcome<RpcResult<"navigate_tree">>> {
  if (entryId !== null && !(await agent.session.store.entry(entryId))) return unknownEntry(entryId);
  const outcome = await agent.navigateTree(entryId, options);
  const leafId = agent.session.leaf;
  switch (outcome.type) {
    case "moved": {
      const { editorText } = outcome;
      return success({ cancelled: false, leafId, ...(editorText !== undefined && { editorText }) });
    }
    case "nothing-to-do":
      return success({ cancelled: false, leafId });
    case "cancelled":
      return success({ cancelled: true, leafId });
    case "refused":
    case "failed":
    case "files-in-the-way": {
      const result = reportMove(outcome, agent.session);
      return failure(result.type === "failed" ? result.message : "the position in the tree was not changed");
    }
  }
}

/** Sorted by time. A parent always comes before its children, even if the clock was wrong. */
async function listEntries(store: Store): Promise<readonly Entry[]> {
  const all: { readonly entry: Entry; readonly time: string }[] = [];
  const stack = (await store.children(null)).toReversed().map((entry) => ({ entry, before: "" }));
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { entry, before: parentTime } = item;
    const time = [entry.timestamp, parentTime].toSorted().at(-1) ?? "";
    all.push({ entry, time });
    const children = await store.children(entry.id);
    stack.push(...children.toReversed().map((child) => ({ entry: child, before: time })));
    // A long session must not block the event loop.
    if (all.length % YIELD_INTERVAL_ENTRIES === 0) await new Promise(setImmediate);
  }
  return all.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ entry }) => entry);
}

const YIELD_INTERVAL_ENTRIES = 1_000;

/** Null if the tree is too deep for JSON parsers, which fail on deeply nested values. */
async function buildTree(store: Store): Promise<readonly RpcTreeNode[] | null> {
  const labels = await store.labels();
  const roots: TreeNodeDraft[] = [];
  const nodesById = new Map<string, TreeNodeDraft>();
  for (const entry of await listEntries(store)) {
    const parent = entry.parentId === null ? undefined : nodesById.get(entry.parentId);
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > MAX_TREE_DEPTH) return null;
    const node: TreeNodeDraft = { entry, children: [], depth, label: labels.get(entry.id) };
    nodesById.set(entry.id, node);
    (parent?.children ?? roots).push(node);
  }
  return roots.map(toRpcNode);
}

const MAX_TREE_DEPTH = 1_000;

interface TreeNodeDraft {
  readonly entry: Entry;
  readonly children: TreeNodeDraft[];
  readonly depth: number;
  readonly label: string | undefined;
}

function toRpcNode({ entry, children, label }: TreeNodeDraft): RpcTreeNode {
  return { entry, children: children.map(toRpcNode), ...(label !== undefined && { label }) };
}

export const treeCommands: RpcCommandDefinitions<
  keyof Pick<RpcCommands, "get_entries" | "get_tree" | "navigate_tree" | "abort_branch_summary" | "set_label">
> = {
  get_entries: {
    description:
      "list all entries on all branches, each parent before its children; with `since`, only those after that entry in this order",
    example: { type: "get_entries" },
    fields: { since: optional(nameField) },
    run: async ({ since }, { app }) => {
      const { session } = app.agent;
      const entries = await listEntries(session.store);
      const index = since === undefined ? -1 : entries.findIndex(({ id }) => id === since);
      if (since !== undefined && index < 0)
        return failure(`no entry has the id ${since.slice(0, 60)}; omit "since" to get all entries`);
      return success({ entries: entries.slice(index + 1), leafId: session.leaf });
    },
  },
  get_tree: {
    description:
      "return all entries as a tree of `{ entry, children, label? }`; refused if the tree is deeper than 1000 entries: then use `get_entries`, where each entry names its parent",
    example: { type: "get_tree" },
    fields: {},
    run: async (_, { app }) => {
      const { session } = app.agent;
      const tree = await buildTree(session.store);
      if (tree === null)
        return failure("the tree is deeper than 1000 entries; use get_entries, where each entry names its parent");
      return success({ tree, leafId: session.leaf });
    },
  },
  navigate_tree: {
    description:
      "go to another entry (null: before the first entry); `summarize` adds, at the new position, a summary of the branch you leave. If the entry is a user message, the new position is just before it, and `editorText` is its text",
    example: { type: "navigate_tree", entryId: "3f2a9c11", summarize: true },
    fields: {
      entryId: entryIdOrNullField,
      summarize: optional(booleanField),
      customInstructions: optional(textField),
      replaceInstructions: optional(booleanField),
      label: optional(nameOrEmptyField),
    },
    run: (params, context) => navigateTree(params, context.app.agent),
  },
  abort_branch_summary: {
    description: "cancel `navigate_tree` while its summary is being written; the position in the tree does not change",
    example: { type: "abort_branch_summary" },
    fields: {},
    lane: "urgent",
    run: async (_, { app }) => {
      const { agent } = app;
      if (agent.session.busyReasons.includes("moving")) await agent.abort();
      return success(null);
    },
  },
  set_label: {
    description: "set an entry's label; without `label`, remove it",
    example: { type: "set_label", entryId: "3f2a9c11", label: "before the rewrite" },
    fields: { entryId: nameField, label: optional(nameOrEmptyField) },
    run: async ({ entryId, label = "" }, { app }) => {
      const { agent } = app;
      if (!(await agent.session.store.entry(entryId))) return unknownEntry(entryId);
      const cleanLabel = sanitizeLine(label);
      const appended = await agent.appendToSession((session) =>
        session.append({ type: "label", targetId: entryId, ...(cleanLabel !== "" && { label: cleanLabel }) }),
      );
      const result = toCommandResult(appended, () => ({ type: "quit" }));
      return result.type === "failed" ? failure(result.message) : success(null);
    },
  },
};

export async function listForkMessages(session: Session): Promise<Outcome<RpcResult<"get_fork_messages">>> {
  const branch = await session.branchEntries();
  const userMessages = branch.filter((entry) => entry.type === "message" && authorOf(entry) === "person");
  return success({ messages: userMessages.map((entry) => ({ entryId: entry.id, text: entryDisplayText(entry) })) });
}

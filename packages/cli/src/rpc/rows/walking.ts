/** Commands on the tree of a session. */

import { plainText } from "@pith/context";
import { written } from "../../commands/answers.ts";
import { moved } from "../acting/moved.ts";
import { entriesOf, treeOf } from "../acting/tree-of.ts";
import type { RpcCommands } from "../line/rpc-commands.ts";
import { entryOrRoot, flag, name, nameOrNone, optional, text } from "../reading/field.ts";
import { done, failed, type Rows } from "./row.ts";

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
      if (agent.session.occupied.includes("moving")) await agent.abort();
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
      const shown = plainText(label);
      const appended = await agent.annotate((session) =>
        session.append({ type: "label", targetId: entryId, ...(shown !== "" && { label: shown }) }),
      );
      const answer = written(appended, () => ({ type: "quit" }));
      return answer.type === "failed" ? failed(answer.message) : done(null);
    },
  },
};

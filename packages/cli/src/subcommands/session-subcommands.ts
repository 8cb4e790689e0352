/** Defines the `pith sessions …` subcommands. Each loads its code when it runs. */

import type { Subcommand, SubcommandCall, SubcommandResult } from "../args/subcommand.ts";

export const exportSubcommand: Subcommand = {
  name: "sessions export",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description: "write a session into a file for others: a page, Markdown, or a session of pi",
  details:
    "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Secrets are left out. A file for pi holds all branches.",
  jsonShape: "{ path, as, missing: [hash of a blob that is lost] }",
  flags: {
    as: {
      type: "string",
      valueHint: "FORMAT",
      values: ["html", "markdown", "pi"],
      description: "what it shall be (default: by the file's ending, else html)",
    },
    output: {
      type: "string",
      short: "o",
      valueHint: "FILE",
      description: "where to; must be free (default: a file here, named after the session)",
    },
    branch: {
      type: "string",
      valueHint: "ID",
      description: "the branch that ends with this entry, instead of the active one",
    },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "look for the session here, such as in pi's folder of sessions",
    },
  },
  examples: ["pith sessions export last --as markdown", "pith sessions export last -o talk.html"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/show-export.ts")).runExport(call),
};

export const listSubcommand: Subcommand = {
  name: "sessions list",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "the sessions of this folder, newest first: id, age, size, and name or first words",
  jsonShape:
    "{ total, sessions: [{ id, path, cwd, name?, created, modified, size, firstMessage, parentSession?, damaged? }] }",
  flags: {
    all: { type: "boolean", description: "of all folders" },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "of this folder; or a folder of sessions, such as pi's",
    },
    limit: { type: "string", valueHint: "N", description: "at most so many (default: 20; 0 for all)" },
  },
  examples: ["pith sessions list", "pith sessions list --all --limit 50", "pith sessions list --all --json"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/list-search.ts")).runList(call),
};

export const pruneSubcommand: Subcommand = {
  name: "sessions prune",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "show which sessions have been silent for long; with --yes, move them into the trash",
  details:
    "How long is told by the newest entry of a session, never by its file alone. What is named, labelled or pinned stays.\nNothing is ever pruned by itself; each one is noted in trash/log.jsonl of Pith's home.",
  jsonShape:
    "{ isDone: false, olderThan, total, bytes, silent: [{ id, path, size, newest }], stays, trash }; with --yes { isDone: true, trashed, removed }",
  flags: {
    "older-than": {
      type: "string",
      valueHint: "AGE",
      description: "silent for so long, such as 90d, 12w or 1y (default: 90d)",
    },
    "dry-run": { type: "boolean", description: "only show it, as without --yes" },
    "empty-trash": { type: "boolean", description: "also what has lain in the trash for 30 days, for good" },
    yes: { type: "boolean", short: "y", description: "do it; needs --older-than" },
  },
  examples: [
    "pith sessions prune",
    "pith sessions prune --older-than 1y --dry-run",
    "pith sessions prune --older-than 1y --yes",
  ],
  run: async (call: SubcommandCall): Promise<SubcommandResult> => (await import("./sessions/prune.ts")).runPrune(call),
};

export const purgeSubcommand: Subcommand = {
  name: "sessions purge",
  argumentHint: "[SESSION …]",
  argumentCount: { min: 0, max: Number.POSITIVE_INFINITY },
  description:
    "take secrets out of sessions, their kept output and the search index; without --yes, only look for them",
  details:
    "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.\nOne that is in use is left alone and told of; it ends with 1 then.",
  jsonShape: "{ purged, looked, kinds, sessions: [{ id, path, lines, blobs, files }], failed: [{ id, path, why }] }",
  flags: {
    all: { type: "boolean", description: "of all sessions, those in the trash too" },
    stdin: {
      type: "boolean",
      description: "take out what is piped in, one secret a line, beside what is known as one",
    },
    yes: { type: "boolean", short: "y", description: "do it; what is gone does not come back" },
  },
  examples: [
    "pith sessions purge --all",
    "pith sessions purge last --yes",
    "pith sessions purge last --stdin --yes < leaked.txt",
  ],
  run: async (call: SubcommandCall): Promise<SubcommandResult> => (await import("./sessions/purge.ts")).runPurge(call),
};

export const rebindSubcommand: Subcommand = {
  name: "sessions rebind",
  argumentHint: "SESSION FOLDER",
  argumentCount: { min: 2, max: 2 },
  description: "let a session belong to another folder, e.g. because the project has moved",
  details: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  jsonShape: "{ path, cwd }",
  flags: {},
  examples: ["pith sessions rebind last ../moved-project"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/restore-rebind.ts")).runRebind(call),
};

export const restoreSubcommand: Subcommand = {
  name: "sessions restore",
  argumentHint: "[TRASHED]",
  argumentCount: { min: 0, max: 1 },
  description: "bring a session back from the trash; without a word, show what lies there",
  details: "TRASHED is the beginning of an id, a folder of the trash, or last: what went there last.",
  jsonShape: "{ id, path }; without a word { trash: [{ id, path, from, folder, trashed, size }] }",
  flags: {},
  examples: ["pith sessions restore", "pith sessions restore last"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/restore-rebind.ts")).runRestore(call),
};

export const removeSubcommand: Subcommand = {
  name: "sessions rm",
  argumentHint: "SESSION …",
  argumentCount: { min: 1, max: Number.POSITIVE_INFINITY },
  description: "move sessions into the trash; pith sessions restore brings them back",
  details: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  jsonShape: "{ trashed: [{ id, path, folder }] }",
  flags: {
    yes: { type: "boolean", short: "y", description: "more than one, without asking" },
  },
  examples: ["pith sessions rm last", "pith sessions rm 3f2a 9c41 --yes"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("../sessions/trash.ts")).trashSessions(call),
};

export const searchSubcommand: Subcommand = {
  name: "sessions search",
  argumentHint: "WORDS …",
  argumentCount: { min: 1, max: Number.POSITIVE_INFINITY },
  description: "find what was said, called or answered, in all sessions",
  details: 'All words must occur; "words in quotes" in a row; wor* is the beginning of a word.',
  jsonShape:
    "{ hits: [{ session: { id, path, name?, cwd }, entry, kind, time, snippet: { text, marks } }], more, pending }",
  flags: {
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "only in sessions of this folder, or in a folder of sessions",
    },
    limit: { type: "string", valueHint: "N", description: "at most so many (default: 20)" },
    since: {
      type: "string",
      valueHint: "WHEN",
      description: "nothing older than this age or day, such as 7d or 2026-01-31",
    },
  },
  examples: [
    "pith sessions search flaky login",
    "pith sessions search 'retry queue' --since 30d",
    "pith sessions search config --folder . --json",
  ],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/list-search.ts")).runSearch(call),
};

export const showSubcommand: Subcommand = {
  name: "sessions show",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description: "what was said and done in a session, each with the id of its entry",
  details: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  jsonShape:
    "{ id, path, cwd, name, created, leaf, before, entries: [entry] } (before: the entry above them, or null); with --tree { …, nodes: [{ id, kind, words, label?, isOnBranch, isLeaf, isSide }] }; with --entry the entry",
  flags: {
    tail: { type: "string", valueHint: "N", description: "the last N entries (default: 30; 0 for all)" },
    entry: { type: "string", valueHint: "ID", description: "this entry alone, whole" },
    branch: {
      type: "string",
      valueHint: "ID",
      description: "the branch that ends with this entry, instead of the active one",
    },
    tree: { type: "boolean", description: "all branches, as a tree of what was asked" },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "look for the session here, such as in pi's folder of sessions",
    },
  },
  examples: ["pith sessions show last", "pith sessions show last --tree", "pith sessions show last --tail 5 --json"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> =>
    (await import("./sessions/show-export.ts")).runShow(call),
};

export const statsSubcommand: Subcommand = {
  name: "sessions stats",
  argumentHint: "[SESSION]",
  argumentCount: { min: 0, max: 1 },
  description:
    "how many sessions there are, the room they take, and what they have cost, over all entries of all branches",
  details:
    "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Without it, all sessions.",
  jsonShape:
    "{ sessions, damaged, bytes: { logs, blobs }, entries, messages, toolCalls, compactions, usage, biggest: [{ id, path, bytes, words, cost }] }",
  flags: {
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "only those of this folder, or of a folder of sessions",
    },
  },
  examples: ["pith sessions stats", "pith sessions stats last", "pith sessions stats --folder . --json"],
  run: async (call: SubcommandCall): Promise<SubcommandResult> => (await import("./sessions/stats.ts")).runStats(call),
};

/** Defines the `pith sessions …` subcommands. Each loads its code when it runs. */

import type { Subcommand } from "../args/subcommand.ts";

export const exportSubcommand: Subcommand = {
  name: "sessions export",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description:
    "export a session to a file to share: a web page, Markdown, or a session file for pi (another coding agent)",
  details:
    "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder). Secrets are removed. A session file for pi contains all branches.",
  jsonShape: "{ path, as, missing: [hash of a blob that is lost] }",
  flags: {
    as: {
      type: "string",
      valueHint: "FORMAT",
      values: ["html", "markdown", "pi"],
      description: "format (default: from the file extension, otherwise html)",
    },
    output: {
      type: "string",
      short: "o",
      valueHint: "FILE",
      description: "file to write; must not exist yet (default: a file in the current folder, named after the session)",
    },
    branch: {
      type: "string",
      valueHint: "ID",
      description: "use the branch that ends with this entry, instead of the active one",
    },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "look for the session in this folder of session files, such as ~/.pi/agent/sessions",
    },
  },
  examples: ["pith sessions export last --as markdown", "pith sessions export last -o talk.html"],
  run: async (call) => (await import("./sessions/show-export.ts")).runExport(call),
};

export const listSubcommand: Subcommand = {
  name: "sessions list",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "list the sessions in this folder, newest first: id, age, size, and name or first message",
  jsonShape:
    "{ total, sessions: [{ id, path, cwd, name?, created, modified, size, firstMessage, parentSession?, damaged? }] }",
  flags: {
    all: { type: "boolean", description: "list the sessions in all folders" },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description:
        "list sessions from this project folder, or from this folder of session files (such as ~/.pi/agent/sessions)",
    },
    limit: { type: "string", valueHint: "N", description: "maximum number of sessions (default: 20; 0 for all)" },
  },
  examples: ["pith sessions list", "pith sessions list --all --limit 50", "pith sessions list --all --json"],
  run: async (call) => (await import("./sessions/list-search.ts")).runList(call),
};

export const pruneSubcommand: Subcommand = {
  name: "sessions prune",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "show sessions that have been inactive for a long time; with --yes, move them to the trash",
  details:
    "A session is inactive only if both its newest entry and its file are older than AGE. Sessions that have a name, or that contain a label or a pin, are kept.\nPith never prunes automatically. It logs each pruned session in ~/.pith/trash/log.jsonl.",
  jsonShape:
    "{ isDone: false, olderThan, total, bytes, inactive: [{ id, path, size, newest }], kept, trash }; with --yes { isDone: true, trashed, removed }",
  flags: {
    "older-than": {
      type: "string",
      valueHint: "AGE",
      description: "how long a session must have been inactive, such as 90d, 12w or 1y (default: 90d)",
    },
    "dry-run": { type: "boolean", description: "only show the sessions (the default without --yes)" },
    "empty-trash": {
      type: "boolean",
      description: "also permanently delete sessions that have been in the trash for 30 days",
    },
    yes: { type: "boolean", short: "y", description: "prune the sessions; requires --older-than" },
  },
  examples: [
    "pith sessions prune",
    "pith sessions prune --older-than 1y --dry-run",
    "pith sessions prune --older-than 1y --yes",
  ],
  run: async (call) => (await import("./sessions/prune.ts")).runPrune(call),
};

export const purgeSubcommand: Subcommand = {
  name: "sessions purge",
  argumentHint: "[SESSION …]",
  argumentCount: { min: 0, max: Number.POSITIVE_INFINITY },
  description:
    "remove secrets from sessions, their stored output and the search index; without --yes, only look for them",
  details:
    "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder).\nA session in use is skipped and reported; the exit code is then 1.",
  jsonShape: "{ purged, searched, kinds, sessions: [{ id, path, lines, blobs, files }], failed: [{ id, path, why }] }",
  flags: {
    all: { type: "boolean", description: "purge all sessions, including those in the trash" },
    stdin: { type: "boolean", description: "also remove the secrets piped to standard input, one per line" },
    yes: { type: "boolean", short: "y", description: "remove the secrets; this cannot be undone" },
  },
  examples: [
    "pith sessions purge --all",
    "pith sessions purge last --yes",
    "pith sessions purge last --stdin --yes < leaked.txt",
  ],
  run: async (call) => (await import("./sessions/purge.ts")).runPurge(call),
};

export const rebindSubcommand: Subcommand = {
  name: "sessions rebind",
  argumentHint: "SESSION FOLDER",
  argumentCount: { min: 2, max: 2 },
  description: "move a session to another project folder, for example after renaming the project",
  details: "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder).",
  jsonShape: "{ path, cwd }",
  flags: {},
  examples: ["pith sessions rebind last ../moved-project"],
  run: async (call) => (await import("./sessions/restore-rebind.ts")).runRebind(call),
};

export const restoreSubcommand: Subcommand = {
  name: "sessions restore",
  argumentHint: "[TRASHED]",
  argumentCount: { min: 0, max: 1 },
  description: "restore a session from the trash; with no argument, list the trash",
  details: "TRASHED is an id prefix, a folder in the trash, or last (the most recently trashed session).",
  jsonShape: "{ id, path }; with no argument { trash: [{ id, path, from, folder, trashed, size }] }",
  flags: {},
  examples: ["pith sessions restore", "pith sessions restore last"],
  run: async (call) => (await import("./sessions/restore-rebind.ts")).runRestore(call),
};

export const removeSubcommand: Subcommand = {
  name: "sessions rm",
  argumentHint: "SESSION …",
  argumentCount: { min: 1, max: Number.POSITIVE_INFINITY },
  description: "move sessions to the trash; pith sessions restore brings them back",
  details: "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder).",
  jsonShape: "{ trashed: [{ id, path, folder }] }",
  flags: {
    yes: { type: "boolean", short: "y", description: "move more than one session without asking" },
  },
  examples: ["pith sessions rm last", "pith sessions rm 3f2a 9c41 --yes"],
  run: async (call) => (await import("../sessions/trash.ts")).trashSessions(call),
};

export const searchSubcommand: Subcommand = {
  name: "sessions search",
  argumentHint: "WORDS …",
  argumentCount: { min: 1, max: Number.POSITIVE_INFINITY },
  description: "search messages, tool calls and results in all sessions",
  details:
    'Results contain all the words. "Words in quotes" match as a phrase, and wor* matches any word that starts with wor.',
  jsonShape:
    "{ hits: [{ session: { id, path, name?, cwd }, entry, kind, time, snippet: { text, marks } }], more, pending }",
  flags: {
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "search only sessions from this project folder, or from this folder of session files",
    },
    limit: { type: "string", valueHint: "N", description: "maximum number of results (default: 20)" },
    since: {
      type: "string",
      valueHint: "WHEN",
      description: "exclude results older than this age or date, such as 7d or 2026-01-31",
    },
  },
  examples: [
    "pith sessions search flaky login",
    "pith sessions search 'retry queue' --since 30d",
    "pith sessions search config --folder . --json",
  ],
  run: async (call) => (await import("./sessions/list-search.ts")).runSearch(call),
};

export const showSubcommand: Subcommand = {
  name: "sessions show",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description: "show the messages and tool calls in a session, with the id of each entry",
  details: "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder).",
  jsonShape:
    "{ id, path, cwd, name, created, leaf, before, entries: [entry] } (before: the id of the entry just before them, or null); with --tree { …, nodes: [{ id, kind, excerpt, label?, isOnBranch, isLeaf, isSide }] }; with --entry the entry",
  flags: {
    tail: { type: "string", valueHint: "N", description: "show the last N entries (default: 30; 0 for all)" },
    entry: { type: "string", valueHint: "ID", description: "show only this entry, in full" },
    branch: {
      type: "string",
      valueHint: "ID",
      description: "use the branch that ends with this entry, instead of the active one",
    },
    tree: { type: "boolean", description: "show all branches as a tree" },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "look for the session in this folder of session files, such as ~/.pi/agent/sessions",
    },
  },
  examples: ["pith sessions show last", "pith sessions show last --tree", "pith sessions show last --tail 5 --json"],
  run: async (call) => (await import("./sessions/show-export.ts")).runShow(call),
};

export const statsSubcommand: Subcommand = {
  name: "sessions stats",
  argumentHint: "[SESSION]",
  argumentCount: { min: 0, max: 1 },
  description: "show how many sessions you have, their size on disk and their total cost (all branches)",
  details:
    "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder). The default is all sessions.",
  jsonShape:
    "{ sessions, damaged, bytes: { logs, blobs }, entries, messages, toolCalls, compactions, usage, biggest: [{ id, path, bytes, title, cost }] }",
  flags: {
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: "include only sessions from this project folder, or from this folder of session files",
    },
  },
  examples: ["pith sessions stats", "pith sessions stats last", "pith sessions stats --folder . --json"],
  run: async (call) => (await import("./sessions/stats.ts")).runStats(call),
};

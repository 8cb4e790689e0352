/** Defines the `pith sessions …` subcommands. They load their code lazily. */

import type { Call, Outcome, Subcommand } from "../args/subcommand.ts";

export const exporting: Subcommand = {
  name: "sessions export",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "write a session into a file for others: a page, Markdown, or a session of pi",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Secrets are left out. A file for pi holds all branches.",
  json: "{ path, as, missing: [hash of a blob that is lost] }",
  flags: {
    as: {
      type: "string",
      takes: "FORMAT",
      values: ["html", "markdown", "pi"],
      says: "what it shall be (default: by the file's ending, else html)",
    },
    output: {
      type: "string",
      short: "o",
      takes: "FILE",
      says: "where to; must be free (default: a file here, named after the session)",
    },
    branch: { type: "string", takes: "ID", says: "the branch that ends with this entry, instead of the active one" },
    folder: { type: "string", takes: "FOLDER", says: "look for the session here, such as in pi's folder of sessions" },
  },
  examples: ["pith sessions export last --as markdown", "pith sessions export last -o talk.html"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/show-export.ts")).exported(call),
};

export const list: Subcommand = {
  name: "sessions list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the sessions of this folder, newest first: id, age, size, and name or first words",
  json: "{ total, sessions: [{ id, path, cwd, name?, created, modified, size, firstMessage, parentSession?, damaged? }] }",
  flags: {
    all: { type: "boolean", says: "of all folders" },
    folder: { type: "string", takes: "FOLDER", says: "of this folder; or a folder of sessions, such as pi's" },
    limit: { type: "string", takes: "N", says: "at most so many (default: 20; 0 for all)" },
  },
  examples: ["pith sessions list", "pith sessions list --all --limit 50", "pith sessions list --all --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/list-search.ts")).listed(call),
};

export const prune: Subcommand = {
  name: "sessions prune",
  takes: "",
  count: { least: 0, most: 0 },
  says: "show which sessions have been silent for long; with --yes, move them into the trash",
  more: "How long is told by the newest entry of a session, never by its file alone. What is named, labelled or pinned stays.\nNothing is ever pruned by itself; each one is noted in trash/log.jsonl of Pith's home.",
  json: "{ isDone: false, olderThan, total, bytes, silent: [{ id, path, size, newest }], stays, trash }; with --yes { isDone: true, trashed, removed }",
  flags: {
    "older-than": { type: "string", takes: "AGE", says: "silent for so long, such as 90d, 12w or 1y (default: 90d)" },
    "dry-run": { type: "boolean", says: "only show it, as without --yes" },
    "empty-trash": { type: "boolean", says: "also what has lain in the trash for 30 days, for good" },
    yes: { type: "boolean", short: "y", says: "do it; needs --older-than" },
  },
  examples: [
    "pith sessions prune",
    "pith sessions prune --older-than 1y --dry-run",
    "pith sessions prune --older-than 1y --yes",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/prune.ts")).pruned(call),
};

export const purge: Subcommand = {
  name: "sessions purge",
  takes: "[SESSION …]",
  count: { least: 0, most: Number.POSITIVE_INFINITY },
  says: "take secrets out of sessions, their kept output and the search index; without --yes, only look for them",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.\nOne that is in use is left alone and told of; it ends with 1 then.",
  json: "{ purged, looked, kinds, sessions: [{ id, path, lines, blobs, files }], failed: [{ id, path, why }] }",
  flags: {
    all: { type: "boolean", says: "of all sessions, those in the trash too" },
    stdin: { type: "boolean", says: "take out what is piped in, one secret a line, beside what is known as one" },
    yes: { type: "boolean", short: "y", says: "do it; what is gone does not come back" },
  },
  examples: [
    "pith sessions purge --all",
    "pith sessions purge last --yes",
    "pith sessions purge last --stdin --yes < leaked.txt",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/purge.ts")).purged(call),
};

export const rebind: Subcommand = {
  name: "sessions rebind",
  takes: "SESSION FOLDER",
  count: { least: 2, most: 2 },
  says: "let a session belong to another folder, e.g. because the project has moved",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ path, cwd }",
  flags: {},
  examples: ["pith sessions rebind last ../moved-project"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/restore-rebind.ts")).rebound(call),
};

export const restore: Subcommand = {
  name: "sessions restore",
  takes: "[TRASHED]",
  count: { least: 0, most: 1 },
  says: "bring a session back from the trash; without a word, show what lies there",
  more: "TRASHED is the beginning of an id, a folder of the trash, or last: what went there last.",
  json: "{ id, path }; without a word { trash: [{ id, path, from, folder, trashed, size }] }",
  flags: {},
  examples: ["pith sessions restore", "pith sessions restore last"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/restore-rebind.ts")).restored(call),
};

export const rm: Subcommand = {
  name: "sessions rm",
  takes: "SESSION …",
  count: { least: 1, most: Number.POSITIVE_INFINITY },
  says: "move sessions into the trash; pith sessions restore brings them back",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ trashed: [{ id, path, folder }] }",
  flags: {
    yes: { type: "boolean", short: "y", says: "more than one, without asking" },
  },
  examples: ["pith sessions rm last", "pith sessions rm 3f2a 9c41 --yes"],
  run: async (call: Call): Promise<Outcome> => (await import("../sessions/trash.ts")).trashed(call),
};

export const search: Subcommand = {
  name: "sessions search",
  takes: "WORDS …",
  count: { least: 1, most: Number.POSITIVE_INFINITY },
  says: "find what was said, called or answered, in all sessions",
  more: 'All words must occur; "words in quotes" in a row; wor* is the beginning of a word.',
  json: "{ hits: [{ session: { id, path, name?, cwd }, entry, kind, time, snippet: { text, marks } }], more, pending }",
  flags: {
    folder: { type: "string", takes: "FOLDER", says: "only in sessions of this folder, or in a folder of sessions" },
    limit: { type: "string", takes: "N", says: "at most so many (default: 20)" },
    since: { type: "string", takes: "WHEN", says: "nothing older than this age or day, such as 7d or 2026-01-31" },
  },
  examples: [
    "pith sessions search flaky login",
    "pith sessions search 'retry queue' --since 30d",
    "pith sessions search config --folder . --json",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/list-search.ts")).searched(call),
};

export const show: Subcommand = {
  name: "sessions show",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "what was said and done in a session, each with the id of its entry",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ id, path, cwd, name, created, leaf, before, entries: [entry] } (before: the entry above them, or null); with --tree { …, nodes: [{ id, kind, words, label?, isOnBranch, isLeaf, isSide }] }; with --entry the entry",
  flags: {
    tail: { type: "string", takes: "N", says: "the last N entries (default: 30; 0 for all)" },
    entry: { type: "string", takes: "ID", says: "this entry alone, whole" },
    branch: { type: "string", takes: "ID", says: "the branch that ends with this entry, instead of the active one" },
    tree: { type: "boolean", says: "all branches, as a tree of what was asked" },
    folder: { type: "string", takes: "FOLDER", says: "look for the session here, such as in pi's folder of sessions" },
  },
  examples: ["pith sessions show last", "pith sessions show last --tree", "pith sessions show last --tail 5 --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/show-export.ts")).shownSession(call),
};

export const stats: Subcommand = {
  name: "sessions stats",
  takes: "[SESSION]",
  count: { least: 0, most: 1 },
  says: "how many sessions there are, the room they take, and what they have cost, over all entries of all branches",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Without it, all sessions.",
  json: "{ sessions, damaged, bytes: { logs, blobs }, entries, messages, toolCalls, compactions, usage, biggest: [{ id, path, bytes, words, cost }] }",
  flags: {
    folder: { type: "string", takes: "FOLDER", says: "only those of this folder, or of a folder of sessions" },
  },
  examples: ["pith sessions stats", "pith sessions stats last", "pith sessions stats --folder . --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./sessions/stats.ts")).summed(call),
};

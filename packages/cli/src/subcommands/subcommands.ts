/** Lists every subcommand in the order of the help text, and defines those outside `pith sessions`. They load their code lazily. */

import type { Call, Outcome, Subcommand } from "../args/subcommand.ts";
import { mistake } from "../text/usage-error.ts";
import { exporting, list, prune, purge, rebind, restore, rm, search, show, stats } from "./session-subcommands.ts";

export const compact: Subcommand = {
  name: "compact",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "tell what was said in a session so far in short; --preview shows what that would do, and asks nobody",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "the receipt { tokens: { before, after, limit }, by, covered, kept, calls, cost, findings, … }; with --preview { id, model, receipt, front, price, evicted }",
  flags: {
    preview: { type: "boolean", says: "only show what would be kept and told in short, and the price" },
    instructions: { type: "string", takes: "TEXT", says: "what the summary should look at above all" },
    model: { type: "string", short: "m", takes: "PROVIDER/MODEL", says: "who writes it (default: who spoke last)" },
  },
  examples: ["pith compact last --preview", 'pith compact last --instructions "keep every decision on the schema"'],
  async run(call: Call): Promise<Outcome> {
    const { compacted, previewed } = await import("./compact-context.ts");
    return call.flags.preview === true ? await previewed(call) : await compacted(call);
  },
};

/** For all of these, itself among them. */
export function completionsOf(all: () => readonly Subcommand[]): Subcommand {
  return {
    name: "completions",
    takes: "bash|zsh|fish",
    count: { least: 1, most: 1 },
    says: "print what your shell needs to complete the words of pith",
    more: `For bash, into ~/.local/share/bash-completion/completions/pith; for fish, into ~/.config/fish/completions/pith.fish;
for zsh, into a folder of $fpath under the name _pith, before compinit runs. Create the folder first if it is missing.`,
    json: "{ shell, script }",
    flags: {},
    examples: [
      "pith completions bash > ~/.local/share/bash-completion/completions/pith",
      "pith completions fish > ~/.config/fish/completions/pith.fish",
      "pith completions zsh > ~/.zfunc/_pith",
    ],
    async run({ arguments: [shell = ""] }: Call): Promise<Outcome> {
      const { scripts } = await import("./completions/shells.ts");
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (!script) return mistake(`there are no completions for "${shell}"; write bash, zsh or fish`);
      const text = script(all());
      return { type: "shown", text, data: { shell, script: text } };
    },
  };
}

export const context: Subcommand = {
  name: "context",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "what fills the window of a session, when it is too much, and what a compaction would free",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Nobody is asked.",
  json: "{ id, model, tokens, measured, contextWindow, limit, soft, isAutomatic, held, parts: [{ place, kind, tokens }], tools: [{ tool, results, tokens }], files: [{ path, results, tokens }], biggest: [{ id, kind, words, tokens, frees: { compaction, moving } }], afterCompaction }",
  flags: {
    model: { type: "string", short: "m", takes: "PROVIDER/MODEL", says: "for whom (default: who spoke last)" },
  },
  examples: ["pith context last", "pith context last --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./compact-context.ts")).contextShown(call),
};

export const doctor: Subcommand = {
  name: "doctor",
  takes: "[SESSION]",
  count: { least: 0, most: 1 },
  says: "look whether all that Pith needs is there, and say what to do; ends with 1 where something is broken",
  more: "With SESSION (the beginning of an id, a name, a path, or last) it looks at every line of that session and shows the damaged ones.",
  json: '{ checks: [{ name, state: "ok" | "warning" | "fault", says, advice? }] }; with SESSION { path, damage: [{ kind, line, offset, length, note, text }], beside }',
  flags: {
    fix: { type: "boolean", says: "take away the rights that others have to your files, and nothing else" },
    deep: { type: "boolean", says: "look at every line of every session" },
  },
  examples: ["pith doctor", "pith doctor --fix", "pith doctor --json", "pith doctor last"],
  run: async (call: Call): Promise<Outcome> => (await import("./doctor/doctor.ts")).examined(call),
};

export const addExtension: Subcommand = {
  name: "extensions add",
  takes: "PATH|TARBALL|NAME",
  count: { least: 1, most: 1 },
  says: "show what an extension can do, and add it to yours",
  more: "A file or a folder is copied; a tarball or a package by its name is installed by npm, which runs none of its scripts. To see what it can do it is run once, in a process that can write nothing and read nothing of yours.",
  json: "{ name, events, tools, commands, states, rules, writes }",
  flags: { yes: { type: "boolean", short: "y", says: "do not ask: add it" } },
  examples: ["pith extensions add ./todo.ts", "pith extensions add --yes pith-todo-1.0.0.tgz"],
  run: async (call) => (await import("../extensions/install.ts")).added(call),
};

export const listExtensions: Subcommand = {
  name: "extensions list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the extensions of this folder, where each comes from, and what it can do",
  json: "{ extensions: [{ name, from, events, tools, commands, states, rules, writes }], notes }",
  flags: { trust: { type: "boolean", says: "let this folder's own extensions count in this call" } },
  examples: ["pith extensions list", "pith extensions list --json"],
  run: async (call) => (await import("../extensions/inspect.ts")).listed(call),
};

export const removeExtension: Subcommand = {
  name: "extensions rm",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "take one of your extensions away; a file is put aside, a package uninstalled",
  json: "{ name, path? }",
  flags: {},
  examples: ["pith extensions rm todo.ts"],
  run: async (call) => (await import("../extensions/install.ts")).removed(call),
};

export const listServers: Subcommand = {
  name: "mcp list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the servers of tools that count here, and whether their tools are trusted; none is started",
  json: "{ servers: [{ name, how, from, state, trusted }] }",
  flags: {},
  examples: ["pith mcp list", "pith mcp list --json"],
  run: async (call: Call): Promise<Outcome> => (await import("../mcp/subcommands.ts")).listed(call),
};

export const testServer: Subcommand = {
  name: "mcp test",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "start a server of tools and show what it offers, or why it fails; nothing is trusted by it",
  json: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: {},
  examples: ["pith mcp test github"],
  run: async (call: Call): Promise<Outcome> => (await import("../mcp/subcommands.ts")).tested(call),
};

export const trustServer: Subcommand = {
  name: "mcp trust",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "start a server of tools, show what it offers and what changed, and trust exactly that",
  json: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: { yes: { type: "boolean", short: "y", says: "do not ask: trust what is shown" } },
  examples: ["pith mcp trust github", "pith mcp trust github --yes"],
  run: async (call: Call): Promise<Outcome> => (await import("../mcp/subcommands.ts")).trusted(call),
};

export const settings: Subcommand = {
  name: "settings",
  takes: "",
  count: { least: 0, most: 0 },
  says: "every setting, what holds in this folder, and who said it",
  json: "{ settings: [{ name, value, words?, source, says }] }; with --schema the schema",
  flags: {
    trust: { type: "boolean", says: "let this folder's own settings count in this call" },
    schema: { type: "boolean", says: "print the JSON Schema of the settings, for editors" },
  },
  examples: ["pith settings", "pith settings --json", "pith settings --schema > ~/.pith/settings.schema.json"],
  async run({ flags, cwd, home, environment, note }) {
    if (flags.schema) {
      const { settingsSchema } = await import("../settings/list.ts");
      const schema = settingsSchema();
      return { type: "shown", text: JSON.stringify(schema, null, 2), data: schema };
    }
    const { whatHolds } = await import("../settings/resolve.ts");
    const holds = await whatHolds({ choices: {}, trusts: flags.trust === true }, { cwd, home, environment });
    if (holds.type === "mistake") return holds;
    for (const line of holds.notes) note(`pith: ${line}`);
    const { listedSettings, shownSettings } = await import("../settings/list.ts");
    const { redactionHere } = await import("../sessions/entries.ts");
    // A key may stand in an address, too.
    const { redact: redacted } = await redactionHere({ home, environment });
    const listed = redacted(listedSettings(holds.choices, holds.sources));
    return { type: "shown", text: shownSettings(listed), data: { settings: listed } };
  },
};

export const trust: Subcommand = {
  name: "trust",
  takes: "[FOLDER]",
  count: { least: 0, most: 1 },
  says: "show what this folder would make Pith do, and trust exactly that",
  json: "{ root, isTrusted, isChanged?, files: [{ kind, name, size, hash }], changes, unread, contextFiles }; with --revoke { root, isTrusted, wasTrusted }; with --list [{ root, trusted, files }]",
  flags: {
    show: { type: "boolean", says: "only show what it holds, and what changed since it was trusted" },
    yes: { type: "boolean", short: "y", says: "do not ask: trust what is shown" },
    revoke: { type: "boolean", says: "trust it no longer" },
    list: { type: "boolean", says: "all folders that are trusted" },
  },
  examples: [
    "pith trust --show",
    "pith trust",
    "pith trust --yes ~/work/site",
    "pith trust --revoke",
    "pith trust --list",
  ],
  async run(call) {
    const { trusting } = await import("./trust.ts");
    return await trusting(call);
  },
};

export const subcommands: readonly Subcommand[] = [
  list,
  search,
  show,
  exporting,
  rm,
  restore,
  rebind,
  stats,
  prune,
  purge,
  compact,
  context,
  settings,
  trust,
  listExtensions,
  addExtension,
  removeExtension,
  listServers,
  trustServer,
  testServer,
  doctor,
  completionsOf(() => subcommands),
];

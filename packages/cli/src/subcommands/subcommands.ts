/** Lists all subcommands in the order of the help text, and defines those outside `pith sessions`. Each loads its code when it runs. */

import { usageError } from "@pith/host/text/usage-error";
import type { Subcommand } from "../args/subcommand.ts";
import {
  exportSubcommand,
  listSubcommand,
  pruneSubcommand,
  purgeSubcommand,
  rebindSubcommand,
  removeSubcommand,
  restoreSubcommand,
  searchSubcommand,
  showSubcommand,
  statsSubcommand,
} from "./session-subcommands.ts";

const compactSubcommand: Subcommand = {
  name: "compact",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description: "summarize a session's conversation so far; --preview only shows the effect, without calling a model",
  details:
    'SESSION is an id prefix, a name, a path, or last (the most recent session in this folder). ENTRY is a number such as "#340", an id or a label.',
  jsonShape:
    "the receipt { tokens: { before, after, limit }, by, covered, kept, calls, cost, findings, … }; with --preview { id, model, receipt, summary, price, leavingMessages }",
  flags: {
    preview: { type: "boolean", description: "only show what would be kept and summarized, and the estimated cost" },
    instructions: { type: "string", valueHint: "TEXT", description: "what the summary should focus on" },
    "up-to": {
      type: "string",
      valueHint: "ENTRY",
      description: "summarize everything before this entry and keep the rest",
    },
    "from-originals": {
      type: "boolean",
      description: "derive the summary from the original entries instead of from the last summary",
    },
    model: {
      type: "string",
      short: "m",
      valueHint: "MODEL",
      description: "model to use (default: the model setting, or else the model this session used last)",
    },
  },
  examples: [
    "pith compact last --preview",
    'pith compact last --instructions "keep every decision on the schema"',
    'pith compact last --up-to "#340"',
  ],
  async run(call) {
    const { runCompact, runCompactPreview } = await import("./compact-context.ts");
    return call.flags.preview === true ? await runCompactPreview(call) : await runCompact(call);
  },
};

/** `listSubcommands` returns all subcommands, including this one. */
function createCompletionsSubcommand(listSubcommands: () => readonly Subcommand[]): Subcommand {
  return {
    name: "completions",
    argumentHint: "bash|zsh|fish",
    argumentCount: { min: 1, max: 1 },
    description: "print the completion script for your shell",
    details: `For bash, save it as ~/.local/share/bash-completion/completions/pith; for fish, as ~/.config/fish/completions/pith.fish;
for zsh, as _pith in a folder on your $fpath, before compinit runs. Create the folder first if it does not exist.`,
    jsonShape: "{ shell, script }",
    flags: {},
    examples: [
      "pith completions bash > ~/.local/share/bash-completion/completions/pith",
      "pith completions fish > ~/.config/fish/completions/pith.fish",
      "pith completions zsh > ~/.zfunc/_pith",
    ],
    async run({ arguments: [shell = ""] }) {
      const { completionScripts } = await import("./completions/shells.ts");
      const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
      if (!script) return usageError(`no completions for "${shell}"; use bash, zsh or fish`);
      const text = script(listSubcommands());
      return { type: "success", text, data: { shell, script: text } };
    },
  };
}

const contextSubcommand: Subcommand = {
  name: "context",
  argumentHint: "SESSION",
  argumentCount: { min: 1, max: 1 },
  description: "show what fills a session's context window, the compaction threshold, and what a compaction would free",
  details:
    "SESSION is an id prefix, a name, a path, or last (the most recent session in this folder). No model is called.",
  jsonShape:
    "{ id, model, tokens, measured, contextWindow, limit, soft, isAutomatic, pauseReason, parts: [{ place, kind, tokens }], tools: [{ tool, results, tokens }], files: [{ path, results, tokens }], biggest: [{ id, kind, text, tokens, frees: { compaction, goingBack } }], removedResults, afterCompaction }",
  flags: {
    model: {
      type: "string",
      short: "m",
      valueHint: "MODEL",
      description:
        "model whose context window to use (default: the model setting, or else the model this session used last)",
    },
  },
  examples: ["pith context last", "pith context last --json"],
  run: async (call) => (await import("./compact-context.ts")).runContext(call),
};

const doctorSubcommand: Subcommand = {
  name: "doctor",
  argumentHint: "[SESSION]",
  argumentCount: { min: 0, max: 1 },
  description: "check your setup and suggest fixes; the exit code is 1 if something is broken",
  details:
    "With SESSION (an id prefix, a name, a path, or last), check every line of that session and show the damaged ones.",
  jsonShape:
    '{ checks: [{ name, state: "ok" | "warning" | "error", message, advice? }] }; with SESSION { path, damage: [{ kind, line, offset, length, note, text }], savedCopies }',
  flags: {
    fix: { type: "boolean", description: "remove other users' access to your Pith files, and change nothing else" },
    deep: { type: "boolean", description: "check every line of every session" },
  },
  examples: ["pith doctor", "pith doctor --fix", "pith doctor --json", "pith doctor last"],
  run: async (call) => (await import("./doctor/doctor.ts")).runDoctor(call),
};

const addExtensionSubcommand: Subcommand = {
  name: "extensions add",
  argumentHint: "PATH|TARBALL|NAME",
  argumentCount: { min: 1, max: 1 },
  description: "show what an extension can do, and add it to your extensions",
  details:
    "A file or a folder is copied; a tarball or a package name is installed by npm, without running its scripts. To find out what the extension registers, Pith runs it once in bubblewrap, without a network, your home, files and variables. Without bubblewrap, nothing of it runs.",
  jsonShape: "{ name, events, tools, commands, states, rules, writes }",
  flags: { yes: { type: "boolean", short: "y", description: "add it without asking" } },
  examples: ["pith extensions add ./todo.ts", "pith extensions add --yes pith-todo-1.0.0.tgz"],
  run: async (call) => (await import("../extensions/install.ts")).runAddExtension(call),
};

const listExtensionsSubcommand: Subcommand = {
  name: "extensions list",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "list the extensions used in this folder, where each comes from, and what it can do",
  jsonShape: "{ extensions: [{ name, from, events, tools, commands, states, rules, writes }], notes }",
  flags: {
    trust: {
      type: "boolean",
      description: "include this folder's own extensions, even if you do not trust the folder",
    },
  },
  examples: ["pith extensions list", "pith extensions list --json"],
  run: async (call) => (await import("../extensions/inspect.ts")).runListExtensions(call),
};

const removeExtensionSubcommand: Subcommand = {
  name: "extensions rm",
  argumentHint: "NAME",
  argumentCount: { min: 1, max: 1 },
  description: "remove one of your extensions; a file is moved aside, a package is uninstalled",
  jsonShape: "{ name, path? }",
  flags: {},
  examples: ["pith extensions rm todo.ts"],
  run: async (call) => (await import("../extensions/install.ts")).runRemoveExtension(call),
};

const listServersSubcommand: Subcommand = {
  name: "mcp list",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "list the MCP servers configured here and whether their tools are trusted, without starting them",
  jsonShape: "{ servers: [{ name, commandOrUrl, from, state, trusted }] }",
  flags: {},
  examples: ["pith mcp list", "pith mcp list --json"],
  run: async (call) => (await import("../mcp/subcommands.ts")).listServers(call),
};

const testServerSubcommand: Subcommand = {
  name: "mcp test",
  argumentHint: "NAME",
  argumentCount: { min: 1, max: 1 },
  description: "start an MCP server and show its tools, or why it fails, without trusting it",
  jsonShape: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: {},
  examples: ["pith mcp test github"],
  run: async (call) => (await import("../mcp/subcommands.ts")).testServer(call),
};

const trustServerSubcommand: Subcommand = {
  name: "mcp trust",
  argumentHint: "NAME",
  argumentCount: { min: 1, max: 1 },
  description: "start an MCP server, show its tools and what changed, and trust its current state",
  jsonShape: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: { yes: { type: "boolean", short: "y", description: "trust what is shown without asking" } },
  examples: ["pith mcp trust github", "pith mcp trust github --yes"],
  run: async (call) => (await import("../mcp/subcommands.ts")).trustServer(call),
};

const settingsSubcommand: Subcommand = {
  name: "settings",
  argumentHint: "",
  argumentCount: { min: 0, max: 0 },
  description: "list every setting, its value in this folder, and where it is set",
  jsonShape: "{ settings: [{ name, value, valueText?, source, description }] }; with --schema, the schema",
  flags: {
    trust: { type: "boolean", description: "include this folder's own settings, even if you do not trust the folder" },
    schema: { type: "boolean", description: "print the JSON Schema for settings files, for use in editors" },
  },
  examples: ["pith settings", "pith settings --json", "pith settings --schema > ~/.pith/settings.schema.json"],
  async run({ flags, cwd, home, environment, notify }) {
    if (flags.schema) {
      const { buildSettingsSchema } = await import("../settings/list.ts");
      const schema = buildSettingsSchema();
      return { type: "success", text: JSON.stringify(schema, null, 2), data: schema };
    }
    const { resolveSettings } = await import("../settings/resolve.ts");
    const effective = await resolveSettings(
      { overrides: {}, trustsProject: flags.trust === true },
      { cwd, home, environment },
    );
    if (effective.type === "mistake") return effective;
    for (const line of effective.notes) notify(`pith: ${line}`);
    const { listSettings, formatSettings } = await import("../settings/list.ts");
    const { createRedaction } = await import("../sessions/entries.ts");
    // A URL in the settings may contain a key.
    const { redact } = await createRedaction({ home, environment });
    const settings = redact(listSettings(effective.settings, effective.sources));
    return { type: "success", text: formatSettings(settings), data: { settings } };
  },
};

const listModelsSubcommand: Subcommand = {
  name: "models list",
  argumentHint: "[WORDS …]",
  argumentCount: { min: 0, max: 16 },
  description: "list the models that you can use, newest generation first, with their context window and price",
  details:
    "Lists the models of providers that you have a key for, and those of local servers. With WORDS, lists only those whose name contains them, older generations included.",
  jsonShape:
    "{ date, hidden, models: [{ name, contextWindow?, maxTokens?, prices?, isDefault, isLocal, isOlder }] }; date is the date of the list",
  flags: { all: { type: "boolean", short: "a", description: "include older generations" } },
  examples: ["pith models list", "pith models list --all", "pith models list sonnet --json"],
  run: async (call) => (await import("./models.ts")).runListModels(call),
};

const updateModelsSubcommand: Subcommand = {
  name: "models update",
  argumentHint: "FILE|URL",
  argumentCount: { min: 1, max: 1 },
  description: "store a newer list of models, with their limits and prices, from a file or a URL",
  details:
    "The list has the format of https://models.dev/api.json. A URL must be https, or http on this machine. The list is stored in Pith's home folder and used the next time Pith starts, if it is newer than the built-in one.",
  jsonShape: "{ path, date, providers, models, skipped, isUsed }",
  flags: {},
  examples: ["pith models update https://models.dev/api.json", "pith models update ./api.json"],
  run: async (call) => (await import("./models.ts")).runUpdateModels(call),
};

export const trustSubcommand: Subcommand = {
  name: "trust",
  argumentHint: "[FOLDER]",
  argumentCount: { min: 0, max: 1 },
  description:
    "review this folder's Pith settings, skills, templates, agents, extensions and MCP servers, and trust their current contents",
  jsonShape:
    "{ root, isTrusted, isChanged?, files: [{ kind, name, size, hash }], changes, unread, contextFiles }; with --revoke { root, isTrusted, wasTrusted }; with --list [{ root, trusted, files }]",
  flags: {
    show: { type: "boolean", description: "only show what the folder contains, and what changed since it was trusted" },
    yes: { type: "boolean", short: "y", description: "trust what is shown without asking" },
    revoke: { type: "boolean", description: "stop trusting the folder" },
    list: { type: "boolean", description: "list all trusted folders" },
  },
  examples: [
    "pith trust --show",
    "pith trust",
    "pith trust --yes ~/work/site",
    "pith trust --revoke",
    "pith trust --list",
  ],
  run: async (call) => (await import("./trust.ts")).runTrust(call),
};

const loginSubcommand: Subcommand = {
  name: "login",
  argumentHint: "[PROVIDER]",
  argumentCount: { min: 0, max: 2 },
  description: "enter or replace a provider's API key, test it and save it",
  details:
    "At a terminal, Pith asks for the provider and the key; the key is not shown. Otherwise the key is read from standard input. It is tested with a free request and saved in keys.json. An environment variable such as ANTHROPIC_API_KEY takes precedence over a saved key.",
  jsonShape: '{ provider, file, check: "accepted" | "unchecked" | "skipped", variable }',
  flags: {
    "no-check": { type: "boolean", description: "save the key without testing it, for example when you are offline" },
  },
  examples: ["pith login", "pith login anthropic", "pith login openrouter --no-check < key.txt"],
  run: async (call) => (await import("./login.ts")).runLogin(call),
};

const logoutSubcommand: Subcommand = {
  name: "logout",
  argumentHint: "[PROVIDER]",
  argumentCount: { min: 0, max: 1 },
  description: "remove a provider's saved API key",
  jsonShape: "{ provider, wasRemoved, variable }",
  flags: {},
  examples: ["pith logout", "pith logout anthropic"],
  run: async (call) => (await import("./login.ts")).runLogout(call),
};

export const subcommands: readonly Subcommand[] = [
  listSubcommand,
  searchSubcommand,
  showSubcommand,
  exportSubcommand,
  removeSubcommand,
  restoreSubcommand,
  rebindSubcommand,
  statsSubcommand,
  pruneSubcommand,
  purgeSubcommand,
  compactSubcommand,
  contextSubcommand,
  listModelsSubcommand,
  updateModelsSubcommand,
  loginSubcommand,
  logoutSubcommand,
  settingsSubcommand,
  trustSubcommand,
  listExtensionsSubcommand,
  addExtensionSubcommand,
  removeExtensionSubcommand,
  listServersSubcommand,
  trustServerSubcommand,
  testServerSubcommand,
  doctorSubcommand,
  createCompletionsSubcommand(() => subcommands),
];

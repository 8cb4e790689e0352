/** Implements `/keys`, `/mode`, `/model`, `/reload`, `/settings` and `/thinking`. */

import type { Agent, PermissionMode, SetModelResult } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";
import { isAbsentModel } from "@pith/host/models/open-model";
import { formatNumber } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import { type Command, type CommandResult, failure, success } from "./command.ts";
import { describeOutcome } from "./compact.ts";

export const keysCommand: Command = {
  name: "keys",
  argumentHint: "[text]",
  description: "list the keyboard shortcuts; with text, only matching ones, with their names for keymap.json",
  examples: ["/keys", "/keys undo"],
  async run(args, { home }) {
    const { keymapFile, formatKeys, readKeymap, listKeys } = await import("../settings/keymap.ts");
    const { keymap, warnings } = await readKeymap(home);
    const keysText = formatKeys(keymap, args);
    if (keysText === null) return usageError(`no key binding matches "${args}"; /keys lists all`);
    const hint = `To change a key binding, set it in ${keymapFile(home)}, e.g. { "fold": "ctrl+x" }. /keys <text> shows the names.`;
    return success([...warnings, keysText, ...(args === "" ? ["", hint] : [])].join("\n"), listKeys(keymap));
  },
};

/** From the most restrictive mode to the least. */
export const permissionModes: readonly { readonly name: PermissionMode; readonly description: string }[] = [
  { name: "plan", description: "reads files and runs commands that cannot write here; changes nothing" },
  { name: "ask", description: "asks before it changes a file, runs a command or opens a page" },
  {
    name: "edit",
    description: "edits files in this folder and runs commands in the sandbox; asks about anything else",
  },
  {
    name: "all",
    description:
      "asks only about new hosts, secrets, ports, protected files, files outside this folder, and commands outside the sandbox",
  },
];

export const modeCommand: Command = {
  name: "mode",
  argumentHint: `[${permissionModes.map(({ name }) => name).join("|")}]`,
  argumentValues: permissionModes.map(({ name }) => name),
  description: "show or change what the agent may do without asking: plan, ask, edit or all",
  examples: ["/mode", "/mode plan"],
  async run(args, { permissionMode }) {
    if (!permissionMode) return usageError("/mode: the permission mode cannot be changed here");
    if (args === "") return success(describeMode(permissionMode.get()), { mode: permissionMode.get() });
    const mode = permissionModes.find(({ name }) => name === args);
    if (!mode) return usageError(`/mode takes plan, ask, edit or all, not "${args}"`);
    const refusal = permissionMode.set(mode.name);
    if (refusal !== null) return usageError(`/mode: ${refusal}`);
    return success(`${describeMode(mode.name)} It applies until you quit.`, { mode: mode.name });
  },
};

export function describeMode(name: PermissionMode): string {
  return `Permission mode ${name}: ${permissionModes.find((candidate) => candidate.name === name)?.description ?? ""}.`;
}

export const modelCommand: Command = {
  name: "model",
  argumentHint: "[model]",
  description: "show or change the model, by provider/model or part of its name, starting with the next request",
  examples: ["/model", "/model opus", "/model anthropic/claude-sonnet-4-5"],
  async run(args, { agent, openModel, notify }) {
    if (args === "") return describeModel(agent);
    const result = await openModel(args);
    if (result.type !== "opened") return usageError(result.message);
    for (const line of result.notes()) notify?.(`${line}`);
    return reportModelChange(await agent.setModel(result.model), agent);
  },
};

function describeModel({ model }: Agent, prefix = "Current model:"): CommandResult {
  const { provider, model: name, contextWindow } = model;
  if (isAbsentModel(model))
    return success("No model is configured. Set an API key, or choose a local model: /model provider/model", null);
  const windowText = contextWindow > 0 ? `${formatNumber(contextWindow)} tokens` : "unknown";
  return success(`${prefix} ${provider}/${name} (context window: ${windowText}).`, {
    provider,
    model: name,
    contextWindow,
  });
}

function reportModelChange(result: SetModelResult, agent: Agent): CommandResult {
  if (result.type === "set") return describeModel(agent, "Model set to");
  const { tokens, limit, compaction } = result;
  const sizes = `${formatNumber(tokens)} tokens, but only ${formatNumber(limit)} fit`;
  return failure(
    `model not changed: the context has ${sizes}; ${describeOutcome(compaction)}. Run /compact first, or start a session with /new`,
  );
}

const EXTENSIONS_RELOAD_NOTICE = "Extensions are reloaded with the next session.";

export const reloadCommand: Command = {
  name: "reload",
  description: "reload settings, context files, skills and prompt templates",
  async run(_, context) {
    const changes = [...(await context.reload()), ...(context.extensions ? [EXTENSIONS_RELOAD_NOTICE] : [])];
    return success(changes.length === 0 ? "Reloaded; nothing has changed." : changes.join("\n"), changes);
  },
};

export const mcpCommand: Command = {
  name: "mcp",
  description: "list the MCP servers, their state, and whether their tools are trusted",
  async run(_, { describeMcpServers }) {
    const text = (await describeMcpServers?.()) ?? "This session has no MCP servers.";
    return success(text, text);
  },
};

export const settingsCommand: Command = {
  name: "settings",
  argumentHint: "[name]",
  description: "show every setting, its value, and the file, variable or flag that sets it",
  examples: ["/settings", "/settings compaction"],
  async run(args, context) {
    const matches = (context.listSettings?.() ?? []).filter(({ name }) => name.includes(args));
    if (matches.length === 0) return usageError(`no setting name contains "${args}"; /settings lists all`);
    const { formatSettings } = await import("../settings/list.ts");
    return success(formatSettings(matches), matches);
  },
};

export const thinkingLevels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export const thinkingCommand: Command = {
  name: "thinking",
  argumentHint: "[level]",
  argumentValues: thinkingLevels,
  description: `show or change how long the model thinks: ${thinkingLevels.join(", ")}`,
  examples: ["/thinking", "/thinking high"],
  async run(args, { agent }) {
    if (args === "") return success(`Thinking level: ${agent.thinkingLevel}`, { level: agent.thinkingLevel });
    const level = thinkingLevels.find((candidate) => candidate === args);
    if (!level)
      return usageError(
        `/thinking takes ${thinkingLevels.slice(0, -1).join(", ")} or ${thinkingLevels.at(-1)}, not "${args}"`,
      );
    await agent.setThinkingLevel(level);
    return success(`Thinking set to ${level}, starting with the next request.`, { level });
  },
};

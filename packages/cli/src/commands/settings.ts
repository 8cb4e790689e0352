/** Implements `/keys`, `/mode`, `/model`, `/reload`, `/settings` and `/thinking`. */

import type { Agent, PermissionMode, SetModelResult } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";
import { amount } from "../text/format.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, failed, told } from "./command.ts";
import { compactionTold } from "./compact.ts";

export const keys: Command = {
  name: "keys",
  takes: "[words]",
  says: "every key of the screen; with words: those that have them, by the names that keymap.json knows",
  examples: ["/keys", "/keys undo"],
  async run(words, { home }) {
    const { keymapFile, keysTold, readKeymap, toldKeys } = await import("../settings/keymap-text.ts");
    const { keymap, notes } = await readKeymap(home);
    const shown = keysTold(keymap, words);
    if (shown === null) return mistake(`no key has "${words}" in its name or meaning; /keys shows all`);
    const how = `To change one: { "fold": "ctrl+o" } in ${keymapFile(home)}; /keys fold names it.`;
    return told([...notes, shown, ...(words === "" ? ["", how] : [])].join("\n"), toldKeys(keymap));
  },
};

/** In the order of what they leave to the model, the least first. */
export const modes: readonly { readonly name: PermissionMode; readonly says: string }[] = [
  { name: "plan", says: "it only looks, and says what it would do" },
  { name: "ask", says: "it asks before it changes a file, runs a command or opens a page" },
  { name: "edit", says: "it changes files here and runs commands in the sandbox; else it asks" },
  { name: "all", says: "it asks only about hosts, secrets, ports and leaving the sandbox" },
];

export const mode: Command = {
  name: "mode",
  takes: "[plan|ask|edit|all]",
  says: "what may be done without a question: plan, ask, edit or all",
  examples: ["/mode", "/mode plan"],
  async run(words, { mode: held }) {
    if (!held) return mistake("/mode: nobody is asked here, so there is nothing to set");
    if (words === "") return told(modeTold(held.now()), { mode: held.now() });
    const wanted = modes.find(({ name }) => name === words);
    if (!wanted) return mistake(`/mode takes plan, ask, edit or all, not "${words}"`);
    const refusal = held.set(wanted.name);
    if (refusal !== null) return mistake(`/mode: ${refusal}`);
    return told(`${modeTold(wanted.name)}, until this program ends`, { mode: wanted.name });
  },
};

export function modeTold(name: PermissionMode): string {
  return `${name} mode: ${modes.find((each) => each.name === name)?.says ?? ""}`;
}

export const model: Command = {
  name: "model",
  takes: "[provider/model]",
  says: "who speaks, or who speaks from the next request on",
  examples: ["/model", "/model anthropic/claude-sonnet-4-5"],
  async run(words, { agent, openModel, note }) {
    if (words === "") return whoSpeaks(agent);
    if (!/^[^/\s]+\/\S+$/.test(words))
      return mistake(`/model takes provider/model, such as anthropic/claude-sonnet-4-5, not "${words}"`);
    const opened = await openModel(words);
    if (opened.type !== "opened") return mistake(opened.message);
    for (const line of opened.notes()) note?.(`${line}`);
    return outcomeOf(await agent.setModel(opened.model), agent);
  },
};

function whoSpeaks({ model: { api, provider, model: name, contextWindow } }: Agent, before = ""): Answer {
  if (api === ABSENT)
    return told("nobody can speak yet; set a key, or name one who needs none: /model provider/model", null);
  const window = contextWindow > 0 ? `a window of ${amount(contextWindow)} tokens` : "a window nobody knows";
  return told(`${before}${provider}/${name}, ${window}`, { provider, model: name, contextWindow });
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

function outcomeOf(set: SetModelResult, agent: Agent): Answer {
  if (set.type === "set") return whoSpeaks(agent, "from now on: ");
  const { tokens, limit, compaction } = set;
  const amounts = `${amount(tokens)} tokens, and ${amount(limit)} fit`;
  const tried = compactionTold(compaction);
  const why = tried.type === "failed" ? tried.message : tried.type === "told" ? tried.text : "";
  return failed(`who spoke still speaks: the context has ${amounts}; ${why}. /compact first, or /new`);
}

const LATER = "extensions are loaded anew with the next session";

export const reload: Command = {
  name: "reload",
  says: "read settings, context files, skills and templates anew",
  async run(_, desk) {
    const changes = [...(await desk.reload()), ...(desk.extensions ? [LATER] : [])];
    return told(changes.length === 0 ? "read anew; nothing has changed" : changes.join("\n"), changes);
  },
};

export const settings: Command = {
  name: "settings",
  takes: "[name]",
  says: "every setting: what holds, and which file, variable or flag says so",
  examples: ["/settings", "/settings compaction"],
  async run(words, desk) {
    const shown = (desk.settings?.() ?? []).filter(({ name }) => name.includes(words));
    if (shown.length === 0) return mistake(`no setting has "${words}" in its name; /settings shows all`);
    const { shownSettings } = await import("../settings/list.ts");
    return told(shownSettings(shown), shown);
  },
};

export const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export const thinking: Command = {
  name: "thinking",
  takes: "[level]",
  says: `how long the model thinks: ${levels.join(", ")}`,
  examples: ["/thinking", "/thinking high"],
  async run(words, { agent }) {
    if (words === "") return told(`thinking: ${agent.thinkingLevel}`, { level: agent.thinkingLevel });
    const level = levels.find((each) => each === words);
    if (!level) return mistake(`/thinking takes ${levels.slice(0, -1).join(", ")} or ${levels.at(-1)}, not "${words}"`);
    await agent.setThinkingLevel(level);
    return told(`thinking, from the next request on: ${level}`, { level });
  },
};

/** Finds and parses agent definitions, and applies `--agent`. A definition can only remove tools; it never grants a permission. */

import { basename, join } from "node:path";
import { decodeText } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";
import type { HostContext } from "@pith/host/host-context";
import { parseFrontMatter } from "@pith/host/resources/front-matter";
import { listTrustedMarkdown, readMarkdownFolder } from "@pith/host/resources/templates";
import { validateSetting } from "@pith/host/settings/fields";
import type { Settings } from "@pith/host/settings/settings";
import { escapeControls, truncate } from "@pith/host/text/safe-text";
import { findNearest, type UsageError, usageError } from "@pith/host/text/usage-error";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import type { FoundFile } from "@pith/host/trust/project-files";
import type { CliArgs } from "../args/args.ts";

export interface AgentDefinition {
  readonly name: string;
  /** When to use the agent, in one line. */
  readonly description: string;
  /** Default: the tools of the caller. */
  readonly tools?: readonly string[];
  /** In the form `provider/model`. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** The system prompt, used like `--system-prompt`. */
  readonly text: string;
  readonly path: string;
}

export interface ParseAgentResult {
  /** Null if the file is not a valid agent. */
  readonly agent: AgentDefinition | null;
  /** Shown to the user. */
  readonly notes: readonly string[];
}

export function parseAgent({ path, bytes }: FoundFile): ParseAgentResult {
  const source = decodeText(bytes);
  if (source === null) return createInvalidAgent(path, "is not a text file");
  const { fields, body, error } = parseFrontMatter(source);
  if (error !== null) return createInvalidAgent(path, error);
  const name = fields.get("name") ?? basename(path, ".md");
  if (!AGENT_NAME.test(name))
    return createInvalidAgent(path, "has an invalid name; use at most 40 characters of a-z, 0-9 and single dashes");
  const description = truncate(escapeControls(fields.get("description") ?? ""), MAX_DESCRIPTION_CHARS);
  if (description === "")
    return createInvalidAgent(path, "has no description; start it with --- name: …, description: … and ---");
  const text = escapeControls(body).trim();
  if (text === "") return createInvalidAgent(path, "has no text after its second --- line");
  const overrides = parseOverrides(fields);
  if (typeof overrides === "string") return createInvalidAgent(path, overrides);
  return { agent: { name, description, ...overrides, text, path }, notes: describeUnknownFields(fields, path) };
}

/** The name becomes a command-line argument, so it must not look like a flag. */
const AGENT_NAME = /^(?=.{1,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_DESCRIPTION_CHARS = 300;

const KNOWN_FIELDS = ["name", "description", "tools", "model", "thinking"];

/** Agent files of other programs have other fields. They are reported and otherwise ignored. */
function describeUnknownFields(fields: ReadonlyMap<string, string>, path: string): readonly string[] {
  const unknownFields = [...fields.keys()].filter((field) => !KNOWN_FIELDS.includes(field));
  return unknownFields.slice(0, MAX_UNKNOWN_FIELD_NOTES).map((field) => {
    const suggestion = findNearest(field, KNOWN_FIELDS);
    const hint = suggestion === null ? `valid fields: ${KNOWN_FIELDS.join(", ")}` : `did you mean ${suggestion}?`;
    return `${path} has an unknown field ${truncate(escapeControls(field), 40)}; ${hint}`;
  });
}

const MAX_UNKNOWN_FIELD_NOTES = 5;

type AgentOverrides = Pick<AgentDefinition, "tools" | "model" | "thinking">;

/** Validates the values as settings. Returns the end of an error sentence if a value is invalid. */
function parseOverrides(fields: ReadonlyMap<string, string>): AgentOverrides | string {
  const values = {
    tools: parseList(fields.get("tools")),
    model: fields.get("model"),
    thinking: fields.get("thinking"),
  };
  const presentValues = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  for (const [name, value] of presentValues) {
    const error = validateSetting([name], value);
    if (error !== null) return `has a field ${name} that ${error}`;
  }
  return Object.fromEntries(presentValues) as AgentOverrides;
}

/** Accepts names separated by commas, in brackets, or on separate lines that start with a dash. */
function parseList(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = value.replace(/^\[|\]$/g, "").split(/,|(?:^|\s)-\s/);
  const list = names.map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2")).filter((name) => name !== "");
  return list.length === 0 ? undefined : list;
}

function createInvalidAgent(path: string, why: string): ParseAgentResult {
  return { agent: null, notes: [`${path} is not a valid agent: it ${why}`] };
}

export interface AgentSources extends Pick<HostContext, "home"> {
  /** Absent if the agents of the project are not used. */
  readonly trustedFolder?: FolderTrust;
}

export interface FoundAgents {
  /** Sorted by name. */
  readonly agents: readonly AgentDefinition[];
  /** Shown to the user. */
  readonly notes: readonly string[];
}

/** The user's agents come first and the first agent of a name is used, so a project cannot replace an agent of the user. */
export async function findAgents({ home, trustedFolder }: AgentSources): Promise<FoundAgents> {
  const userFiles = await readMarkdownFolder(join(home, "agents"), 2 * MAX_AGENTS);
  const projectFiles = trustedFolder ? listTrustedMarkdown(trustedFolder, "agents") : [];
  const parsed = [...userFiles.files, ...projectFiles].map(parseAgent);
  const notes = [...userFiles.notes, ...parsed.flatMap((result) => result.notes)];
  const byName = new Map<string, AgentDefinition>();
  for (const { agent } of parsed) {
    if (!agent) continue;
    const existing = byName.get(agent.name);
    if (existing) notes.push(`two agents are named ${agent.name}: ${existing.path} is used, ${agent.path} is ignored`);
    else byName.set(agent.name, agent);
  }
  if (byName.size > MAX_AGENTS) notes.push(`there are more than ${MAX_AGENTS} agents; the others are ignored`);
  const agents = [...byName.values()].slice(0, MAX_AGENTS).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { agents, notes };
}

const MAX_AGENTS = 50;

export type ApplyAgentResult =
  | {
      readonly type: "applied";
      readonly args: CliArgs;
      readonly settings: Settings;
      /** Shown to the user. */
      readonly notes: readonly string[];
    }
  | UsageError;

/** Flags take precedence over the agent's tools, model and thinking level. */
export async function applyAgent(
  args: CliArgs & { readonly agent: string },
  { settings, ...sources }: AgentSources & { readonly settings: Settings },
): Promise<ApplyAgentResult> {
  const { agents, notes } = await findAgents(sources);
  const agent = agents.find(({ name }) => name === args.agent);
  if (!agent) return createUnknownAgentError(args.agent, agents, sources.trustedFolder);
  const systemPrompt = args.systemPrompt ?? agent.text;
  return {
    type: "applied",
    args: { ...args, systemPrompt },
    settings: applyOverrides(agent, settings, args.overrides),
    notes,
  };
}

function applyOverrides(
  { tools, model, thinking }: AgentDefinition,
  settings: Settings,
  overrides: CliArgs["overrides"],
): Settings {
  const agentSettings = {
    ...(tools && overrides.tools === undefined && { tools }),
    ...(model !== undefined && overrides.model === undefined && { model }),
    ...(thinking && overrides.thinking === undefined && { thinking }),
  };
  // The base URL belongs to the model that is configured with it. The key of another model must not be sent there.
  const usesOtherModel =
    agentSettings.model !== undefined && agentSettings.model !== settings.model && overrides.baseUrl === undefined;
  const { baseUrl: _, ...rest } = settings;
  return { ...(usesOtherModel ? rest : settings), ...agentSettings };
}

function createUnknownAgentError(
  name: string,
  agents: readonly AgentDefinition[],
  trustedFolder: FolderTrust | undefined,
): UsageError {
  const hasUntrustedAgents =
    trustedFolder?.type === "untrusted" && trustedFolder.project.files.some(({ kind }) => kind === "agents");
  const trustHint = hasUntrustedAgents ? `; ${UNTRUSTED_AGENTS_HINT}` : "";
  const names = agents.map((agent) => agent.name);
  if (names.length === 0)
    return usageError(`no agent named ${name}; create it in ~/.pith/agents/${name}.md${trustHint}`);
  const suggestion = findNearest(name, names);
  const hint = suggestion === null ? "" : ` (did you mean ${suggestion}?)`;
  return usageError(`no agent named ${name}${hint}; available: ${names.join(", ")}${trustHint}`);
}

const UNTRUSTED_AGENTS_HINT =
  "this folder's agents are ignored until you trust it in its current state (review it with pith trust --show, then run pith trust)";

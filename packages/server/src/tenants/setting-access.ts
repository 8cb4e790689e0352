/** Lists the settings that a tenant of a hosted service may set, each with the reason, and the limits of their values. */

import { parseRule } from "@pith/agent";
import { listKeyProviders } from "@pith/host/models/available-models";
import { getModelRefusal } from "@pith/host/policy/policy";
import { countKind, isToolSubset, nameListKind, textKind, type ValueKind } from "@pith/host/settings/definitions";
import { findSetting, formatValue } from "@pith/host/settings/fields";
import type { Settings } from "@pith/host/settings/settings";

/** A setting of the host's table that a tenant may set. */
interface AllowedSetting {
  /** The name in the table. With `*` at its end, all names that begin so. */
  readonly name: string;
  /** Why it is safe: what it reaches at most. */
  readonly reason: string;
  /** Returns why a tenant may not set this value, as the end of a sentence that starts with the name; null if it may. */
  readonly findProblem?: (value: unknown, operator: Settings) => string | null;
}

/**
 * Everything else is the operator's: where requests go (baseUrl), what runs outside the sandbox (mcpServers, extensions), what the sandbox
 * shows and how much it uses (sandbox*, unixSockets), private addresses (fetchHosts), how long a request may hold a worker
 * (firstTokenMinutes), redaction (secrets.*), and what belongs to a screen or a disk (plain, notify, theme, auditLog).
 */
const ALLOWED: readonly AllowedSetting[] = [
  {
    name: "model",
    reason: "Requests go to the providers, with the tenant's key or the operator's, within its limits.",
    findProblem: findModelProblem,
  },
  { name: "thinking", reason: "Costs tokens, which the tenant's limits count." },
  {
    name: "permissionMode",
    reason: "Nothing leaves the workspace and the sandbox in any mode. `all` would answer for the users of the tenant.",
    findProblem: (value) => (value === "all" ? 'is "all"; write "plan", "ask" or "edit"' : null),
  },
  {
    name: "network",
    reason: "At most what the operator has: commands reach public addresses only.",
    findProblem: findNetworkProblem,
  },
  {
    name: "tools",
    reason: "At most those that the operator gives.",
    findProblem: findToolsProblem,
  },
  { name: "contextWindow", reason: "Only makes requests smaller." },
  { name: "contextFiles", reason: "The files are in the workspace of the session." },
  { name: "skills", reason: "The files are in folders of the session." },
  { name: "compaction.model", reason: "As `model`.", findProblem: findModelProblem },
  { name: "compaction.*", reason: "Changes only what the model sees of its own session, and when." },
  { name: "branchSummary.*", reason: "As `compaction`." },
];

/** Null if a tenant may not set it. */
export function findAllowedSetting(path: readonly string[]): AllowedSetting | null {
  const name = findSetting(path)?.name ?? path.join(".");
  const allowed = ALLOWED.find(
    (each) => each.name === name || isGroupOf(each.name, name) || each.name.startsWith(`${name}.`),
  );
  return allowed ?? null;
}

function isGroupOf(group: string, name: string): boolean {
  return group.endsWith(".*") && name.startsWith(group.slice(0, -1));
}

/** Names for messages. */
export function listAllowedNames(): readonly string[] {
  return [...ALLOWED.map(({ name }) => name).filter((name) => name !== "compaction.model"), ...Object.keys(OWN_KINDS)];
}

/** A local model is a server on the operator's machine, so only the operator can choose one. */
function findModelProblem(value: unknown, { model, compaction, policy }: Settings): string | null {
  const names = listModelNames(value);
  if (names.some((name) => name.includes("/") && getModelRefusal(policy, name) !== null))
    return `is ${formatValue(value)}; this service allows ${policy?.models?.allow?.join(", ")}`;
  const operatorProviders = [...listModelNames(model), ...listModelNames(compaction?.model)].map(providerOf);
  const known = [...listKeyProviders().map(({ id }) => id), "openai-chat", ...operatorProviders];
  const unknown = names.find((name) => name.includes("/") && !known.includes(providerOf(name)));
  if (unknown === undefined) return null;
  return `is ${formatValue(value)}; write a model of one of these providers: ${listKeyProviders()
    .map(({ id }) => id)
    .join(", ")}`;
}

function listModelNames(value: unknown): readonly string[] {
  return [value].flat().filter((name) => typeof name === "string");
}

function providerOf(name: string): string {
  return name.split("/")[0] ?? "";
}

function findNetworkProblem(value: unknown, { network = "hosts" }: Settings): string | null {
  const access = findSetting(["network"])?.projectAccess;
  if (typeof access === "function" && access(value, network)) return null;
  return `is ${formatValue(value)}; this service allows at most "${network}"`;
}

function findToolsProblem(value: unknown, { tools }: Settings): string | null {
  if (isToolSubset(value, tools)) return null;
  const names = tools ?? findDefaultTools();
  return `is ${formatValue(value)}; write some of the tools of this service: ${names.join(", ")}`;
}

function findDefaultTools(): readonly string[] {
  const fallback = findSetting(["tools"])?.fallback;
  return fallback && "value" in fallback ? (fallback.value as readonly string[]) : [];
}

const MAX_HOSTS = 100;
const MAX_DAYS = 36_500;

/** Settings of the service, which the host's table does not have. */
export const OWN_KINDS: Readonly<Record<OwnSetting, ValueKind>> = {
  /** Adds permission rules, which never open private, link-local and metadata addresses, whatever name leads to them. */
  hosts: createHostsKind(),
  /** A text at the end of the system prompt. */
  instructions: textKind,
  retentionDays: createRetentionKind(),
};

export type OwnSetting = "hosts" | "instructions" | "retentionDays";

function createHostsKind(): ValueKind {
  const list = nameListKind(
    `a list of at most ${MAX_HOSTS} public hosts without scheme, port and path, such as ["api.example.com", "*.example.com"]`,
  );
  return {
    ...list,
    isValid: (value) =>
      list.isValid(value) && (value as readonly string[]).length <= MAX_HOSTS && (value as string[]).every(isHost),
  };
}

/** A host, but no port of the worker's machine, which the same rules can name. */
function isHost(name: string): boolean {
  const parsed = parseRule(`network(${name})`);
  return parsed.type === "rule" && parsed.rule.pattern?.type === "host" && parsed.rule.text === `network(${name})`;
}

function createRetentionKind(): ValueKind {
  const count = countKind("days", { min: 1, example: 90 });
  return {
    ...count,
    isValid: (value) => count.isValid(value) && Number(value) <= MAX_DAYS,
    expected: `${count.expected}, and at most ${MAX_DAYS}`,
  };
}

/** Sets up the permissions of a run (mode, rules, protected paths) and previews an edit that needs approval. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AskPermission,
  type AuditRecord,
  type ChangePreview,
  type DeniedPaths,
  type Extensions,
  findDeniedPaths,
  type PermissionQuestion,
  Permissions,
  parseRule,
  previewChange,
  type Rule,
  type Rules,
  type Tool,
} from "@pith/agent";
import { nodeFiles, projectRules, resolveRealPath } from "@pith/agent/node";
import type { Vault } from "@pith/context/secrets";
import type { HostContext } from "./host-context.ts";
import { buildPolicyLimits, buildPolicyRules } from "./policy/permitted-parts.ts";
import { networkSetting } from "./sandbox/network.ts";
import { listVisibleFolders } from "./sandbox/sandbox.ts";
import { listPrivatePaths } from "./settings/home-files.ts";
import type { Settings } from "./settings/settings.ts";
import type { Workspace } from "./workspace.ts";

/**
 * What an agent may do outside its workspace and its sandbox. `none`: nothing, whatever the user answers, because the machine has other users.
 * `ask`: nothing without an answer. `read`: it reads files that are no secrets; anything else needs an answer.
 */
export type OutsideAccess = "none" | "ask" | "read";

export interface CreatePermissionsOptions {
  readonly context: HostContext;
  readonly workspace: Pick<Workspace, "sandbox">;
  /** Files of the session that no tool may read. */
  readonly privatePaths: readonly string[];
  /** Null: secrets are not redacted. */
  readonly vault: Vault | null;
  /** Tools of the host and of extensions, which rules may name. */
  readonly addedTools: readonly Pick<Tool, "name">[];
  readonly extensionRules: Extensions["rules"] | undefined;
  /** Asks the user before a call that needs permission; absent: such a call is refused. */
  readonly ask?: AskPermission | undefined;
  /** Records decisions. Absent: they are not recorded. */
  readonly audit?: ((record: AuditRecord) => void) | undefined;
  readonly flagRules?: FlagRules | undefined;
  readonly commandQuestionTimeoutMs?: number | undefined;
  readonly outside?: OutsideAccess | undefined;
}

/** The rules of the flags `--allow` and `--deny`, as text. */
export interface FlagRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export type PermissionSetup =
  | {
      readonly type: "permissions";
      readonly permissions: Permissions;
      /** Whether a tool may read the path without a question. */
      readonly mayRead: (path: string) => Promise<boolean>;
      /** Whether commands may write in the workspace. */
      readonly mayWrite: () => boolean;
      /** The denied paths, which the sandbox also closes to commands. */
      readonly deniedPaths: DeniedPaths;
      readonly notes: readonly string[];
    }
  | { readonly type: "failed"; readonly message: string };

/** Without `ask`, a call that needs a question is refused, and the refusal names the flags that would allow it. */
export async function createPermissions(options: CreatePermissionsOptions): Promise<PermissionSetup> {
  const { context, workspace, privatePaths, vault, addedTools, ask, audit, flagRules } = options;
  const { outside = "none", commandQuestionTimeoutMs } = options;
  const { cwd, userHome, home, settings } = context;
  const { allow = [], deny = [] } = flagRules ?? {};
  // A rule for `mcp_call` is valid even if no MCP server is configured.
  const toolNames = ["mcp_call", ...addedTools.map(({ name }) => name)];
  const [allowResult, denyResult] = [parseRules("--allow", allow, toolNames), parseRules("--deny", deny, toolNames)];
  for (const result of [allowResult, denyResult]) if (result.type === "failed") return result;
  const notes: string[] = [];
  const rulesFromExtensions = parseExtensionRules(options.extensionRules, { toolNames, notes });
  const ruleStore = projectRules({
    file: join(home, "permissions.json"),
    workspace: (await resolveRealPath(cwd)) ?? cwd,
    notify: (note) => void notes.push(note),
    tools: toolNames,
  });
  const policy = buildPolicyRules(settings.policy);
  const denyRules = [...policy.deny, ...getRules(denyResult), ...rulesFromExtensions.deny];
  const permissions = new Permissions({
    mode: settings.permissionMode ?? "edit",
    rules: {
      allow: [
        ...getRules(allowResult),
        ...openNetworkRules(settings),
        ...(await ruleStore.load()),
        ...rulesFromExtensions.allow,
      ],
      ask: [...policy.ask, ...rulesFromExtensions.ask],
      deny: denyRules,
    },
    limits: buildPolicyLimits(settings.policy),
    paths: {
      root: cwd,
      home: userHome,
      temporaryFolders: workspace.sandbox.then((sandbox) =>
        sandbox.type === "available" ? [sandbox.temporaryFolder] : outside === "none" ? [] : [tmpdir()],
      ),
      privatePaths: [...listPrivatePaths(home), ...privatePaths],
      permissionFiles: [home],
      ...(outside !== "read" && { readableFolders: listReadableFolders(context) }),
      isConfined: outside === "none",
      hasSandbox: workspace.sandbox.then(({ type }) => type === "available"),
    },
    resolveRealPath,
    ruleStore,
    ...(vault && { redaction: vault }),
    ...(ask && { ask }),
    ...(audit && { audit }),
    ...(commandQuestionTimeoutMs !== undefined && { commandQuestionTimeoutMs }),
  });
  return {
    type: "permissions",
    permissions,
    mayRead: (path) => isReadable(path, permissions),
    mayWrite: () => permissions.mode !== "plan",
    deniedPaths: findDeniedPaths(denyRules, { root: cwd, home: userHome }),
    notes,
  };
}

/** Folders outside the workspace that tools read without a question even if other users have files on this machine. */
function listReadableFolders({ home, userHome, settings }: HostContext): readonly string[] {
  return [home, join(userHome, ".agents", "skills"), ...listVisibleFolders(settings, userHome)];
}

/** SET15: allows every public host without a question if the network is `open`. Deny rules and plan mode still apply. */
function openNetworkRules(settings: Settings): readonly Rule[] {
  return networkSetting(settings) === "open"
    ? [{ text: "network", tool: "network", pattern: null, source: "settings" }]
    : [];
}

async function isReadable(path: string, permissions: Permissions): Promise<boolean> {
  return await permissions.isAllowed({ tool: "read", arguments: { path }, intent: { type: "look", paths: [path] } });
}

/** Adds a note for each invalid rule. The other rules still apply. */
function parseExtensionRules(
  extensionRules: CreatePermissionsOptions["extensionRules"],
  { toolNames, notes }: { readonly toolNames: readonly string[]; readonly notes: string[] },
): Rules {
  const parseAll = (texts: readonly string[] = []): readonly Rule[] =>
    texts.flatMap((text) => {
      const parsed = parseRule(text, { tools: toolNames, source: "extension" });
      if (parsed.type === "mistake") notes.push(formatRuleError("extension rule", text, parsed.message));
      return parsed.type === "mistake" ? [] : [parsed.rule];
    });
  const { allow, ask, deny } = extensionRules ?? {};
  return { allow: parseAll(allow), ask: parseAll(ask), deny: parseAll(deny) };
}

type ParseRulesResult =
  | { readonly type: "rules"; readonly rules: readonly Rule[] }
  | { readonly type: "failed"; readonly message: string };

function parseRules(flag: string, texts: readonly string[], toolNames: readonly string[]): ParseRulesResult {
  const rules: Rule[] = [];
  for (const text of texts) {
    const parsed = parseRule(text, { tools: toolNames, source: "flag" });
    if (parsed.type === "mistake") return { type: "failed", message: formatRuleError(flag, text, parsed.message) };
    rules.push(parsed.rule);
  }
  return { type: "rules", rules };
}

/** Does not repeat the rule if the message already starts with it. */
function formatRuleError(flag: string, text: string, message: string): string {
  return message.startsWith(`${text}: `) ? `${flag} ${message}` : `${flag} ${text}: ${message}`;
}

function getRules(result: ParseRulesResult): readonly Rule[] {
  return result.type === "rules" ? result.rules : [];
}

export interface PreviewRequestOptions {
  readonly cwd: string;
  /** Restores placeholders in the arguments. The preview contains secrets: the caller must redact it before it is shown. */
  readonly vault?: Vault | null | undefined;
  /** The size limit of a file that is read. */
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
}

/** Reads the file and changes nothing. Null if the call does not change a file, or if the change cannot be computed. */
export async function previewRequestedChange(
  { tool, arguments: args }: PermissionQuestion,
  { cwd, vault, maxFileBytes, signal }: PreviewRequestOptions,
): Promise<ChangePreview | null> {
  if (tool !== "edit" && tool !== "write") return null;
  const restoreResult = vault?.restore(args);
  if (restoreResult && restoreResult.type !== "restored") return null;
  const files = nodeFiles({ root: cwd, maxBytes: maxFileBytes });
  const call = { tool, arguments: restoreResult?.value ?? args, signal } as const;
  return await previewChange(call, { files, redaction: vault ?? undefined });
}

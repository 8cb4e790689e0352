/** Sets up the permissions of a run (mode, user's rules, places no rule opens) and previews an edit that needs approval. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ChangePreview,
  type DeniedPaths,
  findDeniedPaths,
  type PermissionQuestion,
  Permissions,
  parseRule,
  previewChange,
  type Rule,
  type Rules,
} from "@pith/agent";
import { nodeFiles, projectRules, resolveRealPath } from "@pith/agent/node";
import type { Vault } from "@pith/context/secrets";
import type { Wish } from "../args/args.ts";
import { policyLimits, policyRules } from "../policy/permitted-parts.ts";
import { networkSetting } from "../sandbox/network-permissions.ts";
import { keyFile } from "../settings/keys.ts";
import { redactionKeyFile } from "../settings/secrets.ts";
import type { Place } from "./app-options.ts";
import type { AuditLog } from "./audit-log.ts";

export interface PermittingPlace extends Pick<Place, "cwd" | "home" | "choices" | "vault" | "ask" | "extensions"> {
  /** What `~` stands for. */
  readonly userHome: string;
  /** What commands see as `/tmp`; null where they have no sandbox. */
  readonly temporary: Promise<string | null>;
  /** Absent where nothing is recorded. */
  readonly audit?: AuditLog | null;
}

export type Permitting =
  | {
      readonly type: "permissions";
      readonly permissions: Permissions;
      /** Whether a tool could read what lies there; where somebody would have to be asked, it could not. */
      readonly mayRead: (path: string) => Promise<boolean>;
      /** Whether commands may write in the workspace. */
      readonly mayWrite: () => boolean;
      /** For what holds commands. */
      readonly denied: DeniedPaths;
      readonly notes: readonly string[];
    }
  | { readonly type: "failed"; readonly message: string };

/** Where nobody is there to be asked, what would be asked is refused, with the way to allow it. */
export async function permitting({ allow, deny }: Wish, place: PermittingPlace): Promise<Permitting> {
  const { cwd, userHome, home, choices, vault, ask, extensions, audit } = place;
  const temporary = place.temporary.then((folder) => [folder ?? tmpdir()]);
  const hasSandbox = place.temporary.then((folder) => folder !== null);
  // A rule on a server's tools is no mistake where no server is named.
  const tools = ["mcp_call", ...(extensions?.tools ?? []).map(({ name }) => name)];
  const [allowed, denied] = [rulesIn("--allow", allow, tools), rulesIn("--deny", deny, tools)];
  for (const read of [allowed, denied]) if (read.type === "failed") return read;
  const notes: string[] = [];
  const theirs = extensionRules(extensions, { tools, notes });
  const memory = projectRules({
    file: join(home, "permissions.json"),
    workspace: (await resolveRealPath(cwd)) ?? cwd,
    notify: (note) => void notes.push(note),
    tools,
  });
  const policy = policyRules(choices.policy);
  const denying = [...policy.deny, ...rulesOf(denied), ...theirs.deny];
  const permissions = new Permissions({
    mode: choices.permissionMode ?? "edit",
    rules: {
      allow: [...rulesOf(allowed), ...openNetwork(choices), ...(await memory.load()), ...theirs.allow],
      ask: [...policy.ask, ...theirs.ask],
      deny: denying,
    },
    limits: policyLimits(choices.policy),
    paths: {
      root: cwd,
      home: userHome,
      temporaryFolders: temporary,
      keyFiles: closedPlaces(home),
      permissionFiles: [home],
      hasSandbox,
    },
    resolveRealPath,
    ruleStore: memory,
    ...(vault && { redaction: vault }),
    ...(ask && { ask }),
    ...(audit && { audit: (record) => audit.record(record) }),
  });
  return {
    type: "permissions",
    permissions,
    mayRead: (path) => isReadable(path, permissions),
    mayWrite: () => permissions.mode !== "plan",
    denied: findDeniedPaths(denying, { root: cwd, home: userHome }),
    notes,
  };
}

/** SET15: every public host without a question is what this rule says; a deny and plan mode count all the same. */
function openNetwork(choices: Place["choices"]): readonly Rule[] {
  return networkSetting(choices) === "open"
    ? [{ text: "network", tool: "network", pattern: null, source: "settings" }]
    : [];
}

async function isReadable(path: string, permissions: Permissions): Promise<boolean> {
  return await permissions.isAllowed({ tool: "read", arguments: { path }, intent: { type: "look", paths: [path] } });
}

/** What no tool and no command looks into: keys, and the true bytes of what was replaced. */
function closedPlaces(home: string): readonly string[] {
  return [keyFile(home), redactionKeyFile(home), join(home, "restore")];
}

/** One that cannot be read is told, and the others count. */
function extensionRules(
  extensions: Place["extensions"],
  { tools, notes }: { readonly tools: readonly string[]; readonly notes: string[] },
): Rules {
  const read = (texts: readonly string[] = []): readonly Rule[] =>
    texts.flatMap((text) => {
      const parsed = parseRule(text, { tools, source: "extension" });
      if (parsed.type === "mistake") notes.push(mistakeIn("the rule of an extension", text, parsed.message));
      return parsed.type === "mistake" ? [] : [parsed.rule];
    });
  const { allow, ask, deny } = extensions?.rules ?? {};
  return { allow: read(allow), ask: read(ask), deny: read(deny) };
}

type ReadRules =
  | { readonly type: "rules"; readonly rules: readonly Rule[] }
  | { readonly type: "failed"; readonly message: string };

function rulesIn(flag: string, texts: readonly string[], tools: readonly string[]): ReadRules {
  const rules: Rule[] = [];
  for (const text of texts) {
    const parsed = parseRule(text, { tools, source: "flag" });
    if (parsed.type === "mistake") return { type: "failed", message: mistakeIn(flag, text, parsed.message) };
    rules.push(parsed.rule);
  }
  return { type: "rules", rules };
}

/** Some mistakes begin with the rule themselves. */
function mistakeIn(flag: string, text: string, message: string): string {
  return message.startsWith(`${text}: `) ? `${flag} ${message}` : `${flag} ${text}: ${message}`;
}

function rulesOf(read: ReadRules): readonly Rule[] {
  return read.type === "rules" ? read.rules : [];
}

export interface ChangePlace {
  readonly cwd: string;
  /** What is compared has its secrets; whoever shows it takes them out. */
  readonly vault?: Vault | null | undefined;
  /** Of a file that is looked at. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** Reads the file and changes nothing. Null where it is about no file, or where that cannot be told. */
export async function askedChange(
  { tool, arguments: asked }: PermissionQuestion,
  { cwd, vault, mostBytes, signal }: ChangePlace,
): Promise<ChangePreview | null> {
  if (tool !== "edit" && tool !== "write") return null;
  const restored = vault?.restore(asked);
  if (restored && restored.type !== "restored") return null;
  const files = nodeFiles({ root: cwd, maxBytes: mostBytes });
  const call = { tool, arguments: restored?.value ?? asked, signal } as const;
  return await previewChange(call, { files, redaction: vault ?? undefined });
}

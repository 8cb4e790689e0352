/** Creates the vault of secrets from the environment, the key file and MCP servers, and restores placeholders from files of the session. */

import { createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { RestoreSecretsResult, Secrets, WorkspaceFiles } from "@pith/agent";
import type { Entry, Session } from "@pith/context";
import { fileTouches, splitContent } from "@pith/context/host";
import { Vault } from "@pith/context/secrets";
import type { HostContext } from "../host-context.ts";
import { collectKeysInUse, type McpServerSettingsByName } from "./keys-in-use.ts";
import { getUserId, type SavedKeys } from "./provider-keys.ts";
import type { Settings } from "./settings.ts";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export function redactionKeyPath(home: string): string {
  return join(home, "redaction.key");
}

/**
 * Creates the digest that names secrets. Its key is in a file of the user, so that a name stays the same in later runs and reveals
 * nothing. The key is read or created when the first secret is found.
 */
export function createKeyedDigest(home: string): (value: string) => string {
  let key: Uint8Array | null = null;
  return (value) => {
    key ??= loadOrCreateKey(redactionKeyPath(home));
    return createHmac("sha256", key).update(value).digest("hex");
  };
}

/** SEC4: without a usable file, the key is random and names change with each run. Secrets are still redacted. */
function loadOrCreateKey(path: string): Uint8Array {
  try {
    return readKey(path) ?? createKey(path);
  } catch {
    return randomBytes(KEY_BYTES);
  }
}

const KEY_BYTES = 32;

/** Null if the file does not exist. Throws if its owner or size is wrong. */
function readKey(path: string): Uint8Array | null {
  const file = openIfExists(path);
  if (file === null) return null;
  try {
    const { uid, size, mode } = fstatSync(file);
    const userId = getUserId();
    if ((userId !== null && uid !== userId) || size !== KEY_BYTES) throw new Error(`${path} is not a key of this user`);
    if (userId !== null && (mode & OTHERS_PERMISSION_BITS) !== 0) fchmodSync(file, OWNER_ONLY_MODE);
    const key = new Uint8Array(KEY_BYTES);
    if (readSync(file, key, 0, KEY_BYTES, 0) !== KEY_BYTES) throw new Error(`${path} could not be read completely`);
    return key;
  } finally {
    closeSync(file);
  }
}

const OTHERS_PERMISSION_BITS = 0o077;
const OWNER_ONLY_MODE = 0o600;

function openIfExists(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Creates the file atomically. If two processes create it at the same time, both use the first key. */
function createKey(path: string): Uint8Array {
  const key = randomBytes(KEY_BYTES);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(temporaryPath, key, { flag: "wx", mode: OWNER_ONLY_MODE });
  try {
    linkSync(temporaryPath, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readKey(path) ?? key;
  } finally {
    unlinkSync(temporaryPath);
  }
}

/**
 * Returns the arguments, variables, headers and query parameters of MCP servers as environment variables, so that the vault finds
 * secrets in them. Each name starts with the server's name, so that servers do not overwrite each other's values.
 */
function buildServerVariables(servers: McpServerSettingsByName): EnvironmentVariables {
  const variables = Object.entries(servers).flatMap(([server, { args = [], env = {}, url = "", headers = {} }]) => {
    const headerVariables = Object.entries(headers).map(([name, value]) => toHeaderVariable(name, value));
    const queryVariables = [...(URL.parse(url)?.searchParams ?? [])];
    // The vault finds secrets in the command's arguments by their form.
    const serverEntries = [
      ...Object.entries(env),
      ...headerVariables,
      ...queryVariables,
      ["ARGS", args.join(" ")] as const,
    ];
    return serverEntries.map(([name, value]) => [`${server}_${name}`, value] as const);
  });
  return Object.fromEntries(variables);
}

/** Removes the scheme of an authorization header, such as `Bearer`: it is not part of the secret. */
function toHeaderVariable(name: string, value: string): readonly [string, string] {
  const isAuthorization = /authorization$/i.test(name);
  return isAuthorization ? ["AUTH", value.replace(/^\w+\s+/, "")] : [name.replaceAll("-", "_"), value];
}

export interface VaultOptions extends Pick<HostContext, "home" | "environment"> {
  /** The saved keys. Default: the key file in Pith's home. */
  readonly keys?: SavedKeys | undefined;
  readonly settings: Pick<Settings, "secrets" | "mcpServers" | "baseUrl">;
  /** MCP servers that the client provides. */
  readonly mcpServers?: McpServerSettingsByName | undefined;
}

/** Null if redaction is off. */
export async function createVault(options: VaultOptions): Promise<Vault | null> {
  return options.settings.secrets?.redact === "off" ? null : await buildVault(options);
}

/** Creates the vault even if redaction is off. Keys must be redacted too: a provider may quote a rejected key in an error. */
export async function buildVault({ home, keys, environment, settings, mcpServers }: VaultOptions): Promise<Vault> {
  const { also: extraVariables = [] } = settings.secrets ?? {};
  const servers = { ...mcpServers, ...settings.mcpServers };
  return new Vault({
    digest: createKeyedDigest(home),
    environment: { ...buildServerVariables(servers), ...environment },
    variableNames: extraVariables.flatMap((name) => [
      name,
      ...Object.keys(servers).map((server) => `${server}_${name}`),
    ]),
    keys: await collectKeysInUse({ home, keys, environment, settings, servers }),
  });
}

/** Shown at every start while redaction is off. */
export const REDACTION_OFF_NOTICE = "secrets are sent and stored unredacted, because secrets.redact is off";

/** Lists the file of the tool call first, then the files that the session touched or attached, newest first. */
function listSeenFiles(entries: readonly Entry[], toolInput: unknown): readonly string[] {
  const { path } = Object(toolInput) as { readonly path?: unknown };
  const touchedPaths = fileTouches(entries).map((touch) => touch.path);
  const newestFirst = [...listAttachedFiles(entries), ...touchedPaths].toReversed();
  return [...new Set([...(typeof path === "string" ? [path] : []), ...newestFirst])].slice(0, MAX_SEEN_FILES);
}

const MAX_SEEN_FILES = 200;

function listAttachedFiles(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const { attachments } = splitContent(entry.message.content);
    return attachments.flatMap(({ kind, name }) => (kind === "file" ? [name] : []));
  });
}

export interface RestoreSecretsOptions {
  readonly session: Session;
  readonly files: Pick<WorkspaceFiles, "read" | "resolve">;
  /** Whether a tool may read the path. Needed because a session file may contain any path. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

/** Wraps the vault: a placeholder whose value it does not know is restored from the files that the session has read. */
export function restoreSecrets(vault: Vault, options: RestoreSecretsOptions): Secrets {
  return {
    redact: (value) => vault.redact(value),
    stream: () => vault.stream(),
    takeFindings: () => vault.takeFindings(),
    listPlaceholders: (value) => vault.listPlaceholders(value),
    restore: async (value) => {
      const restoreResult = vault.restore(value);
      if (restoreResult.type === "restored") return restoreResult;
      return (
        (await restoreFromSeenFiles(value, vault, options)) ??
        vault.restore(value, { sourceText: await readInputFile(value, options) })
      );
    },
  };
}

/** Null if no file of the session contains the value. */
async function restoreFromSeenFiles<Value>(
  value: Value,
  vault: Vault,
  options: RestoreSecretsOptions,
): Promise<RestoreSecretsResult<Value> | null> {
  let charsLeft = MAX_TOTAL_CHARS;
  for (const path of listSeenFiles(options.session.branch.entries, value)) {
    const text = await readTextIfAllowed(path, options);
    charsLeft -= text.length;
    if (charsLeft < 0) break;
    vault.learn(text);
    const restoreResult = vault.restore(value);
    if (restoreResult.type === "restored") return restoreResult;
  }
  return null;
}

/** Reads the file of the tool call. Text in it that looks like a placeholder is not a secret. */
async function readInputFile(value: unknown, options: RestoreSecretsOptions): Promise<string> {
  const { path } = Object(value) as { readonly path?: unknown };
  return typeof path === "string" ? await readTextIfAllowed(path, options) : "";
}

/** Empty if the file is missing or too large, or if tools may not read it. */
async function readTextIfAllowed(path: string, { files, mayRead }: RestoreSecretsOptions): Promise<string> {
  const resolvedPath = files.resolve(path);
  if (!(await mayRead(resolvedPath))) return "";
  const result = await files.read(resolvedPath, { maxBytes: MAX_FILE_BYTES });
  return result.type === "read" ? new TextDecoder().decode(result.bytes) : "";
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TOTAL_CHARS = 16 * 1024 * 1024;

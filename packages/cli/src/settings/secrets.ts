/** Creates the vault of secrets from the environment, the user's keys and MCP servers, and restores placeholders from files. */

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
import type { Environment } from "@pith/models";
import { keyFile, ownUserId, readKeyFile } from "./keys.ts";
import type { McpServerSettings, Settings } from "./settings.ts";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export function redactionKeyFile(home: string): string {
  return join(home, "redaction.key");
}

/**
 * Names secrets: keyed with a file of the user's own, so that a name stays the same in later runs and reveals nothing.
 * The key is read, or made, when the first secret is found.
 */
export function keyedDigest(home: string): (value: string) => string {
  let key: Uint8Array | null = null;
  return (value) => {
    key ??= keyAt(redactionKeyFile(home));
    return createHmac("sha256", key).update(value).digest("hex");
  };
}

// SEC4: where no file can be had, names hold as long as the program runs; no secret is written because of that.
function keyAt(path: string): Uint8Array {
  try {
    return keyIn(path) ?? madeAt(path);
  } catch {
    return randomBytes(BYTES);
  }
}

const BYTES = 32;

/** Null where there is none; throws where it is not to be believed. */
function keyIn(path: string): Uint8Array | null {
  const file = opened(path);
  if (file === null) return null;
  try {
    const { uid, size, mode } = fstatSync(file);
    const userId = ownUserId();
    if ((userId !== null && uid !== userId) || size !== BYTES) throw new Error(`${path} is no key of this user`);
    if (userId !== null && (mode & OTHERS) !== 0) fchmodSync(file, OWNER);
    const key = new Uint8Array(BYTES);
    if (readSync(file, key, 0, BYTES, 0) !== BYTES) throw new Error(`${path} could not be read whole`);
    return key;
  } finally {
    closeSync(file);
  }
}

const OTHERS = 0o077;
const OWNER = 0o600;

function opened(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whole under its name or not at all: of two programs that make one, the first has made it for both. */
function madeAt(path: string): Uint8Array {
  const key = randomBytes(BYTES);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(fresh, key, { flag: "wx", mode: OWNER });
  try {
    linkSync(fresh, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return keyIn(path) ?? key;
  } finally {
    unlinkSync(fresh);
  }
}

export type ServersWritten = Readonly<Record<string, McpServerSettings>>;

/**
 * What starts or reaches MCP servers, as variables, so that the vault finds secrets among it wherever they appear.
 * Each with the server's name before its own, so that none stands in the place of another.
 */
export function serverVariables(servers: ServersWritten): EnvironmentVariables {
  const variables = Object.entries(servers).flatMap(([server, { args = [], env = {}, url = "", headers = {} }]) => {
    const sent = Object.entries(headers).map(([name, value]) => headerVariable(name, value));
    const asked = [...(URL.parse(url)?.searchParams ?? [])];
    // Of a command only what looks like a secret is one.
    const all = [...Object.entries(env), ...sent, ...asked, ["ARGS", args.join(" ")] as const];
    return all.map(([name, value]) => [`${server}_${name}`, value] as const);
  });
  return Object.fromEntries(variables);
}

/** The word before it says how it is to be read, as in `Bearer …`, and is no part of it. */
function headerVariable(name: string, value: string): readonly [string, string] {
  const isAuthorization = /authorization$/i.test(name);
  return isAuthorization ? ["AUTH", value.replace(/^\w+\s+/, "")] : [name.replaceAll("-", "_"), value];
}

export interface VaultPlace {
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Pick<Settings, "secrets" | "mcpServers">;
  /** Servers of tools that whoever calls brings along. */
  readonly mcpServers?: ServersWritten | undefined;
}

/** Null where it was switched off. */
export async function vaultHere({ home, environment, choices, mcpServers }: VaultPlace): Promise<Vault | null> {
  const { redact, also = [] } = choices.secrets ?? {};
  if (redact === "off") return null;
  const servers = { ...mcpServers, ...choices.mcpServers };
  return new Vault({
    digest: keyedDigest(home),
    environment: { ...(await keptKeys(home)), ...serverVariables(servers), ...environment },
    variableNames: also.flatMap((name) => [name, ...Object.keys(servers).map((server) => `${server}_${name}`)]),
  });
}

/** As if they were variables: a provider that does not like a key may repeat it. */
async function keptKeys(home: string): Promise<Environment> {
  const read = await readKeyFile(keyFile(home));
  // What is wrong with the file is told to whoever needs a key of it.
  const keys = read.type === "read" ? Object.entries(read.keys) : [];
  return Object.fromEntries(keys.map(([provider, key]) => [`${provider.toUpperCase()}_API_KEY`, key]));
}

/** Told at every start. */
export const UNREDACTED = "secrets are sent and kept as they are, because secrets.redact is off";

/** The likeliest first: the file a call is about, then those that were touched or attached last. */
export function filesOnceSeen(entries: readonly Entry[], asked: unknown): readonly string[] {
  const { path } = Object(asked) as { readonly path?: unknown };
  const touched = fileTouches(entries).map((touch) => touch.path);
  const latest = [...shownIn(entries), ...touched].toReversed();
  return [...new Set([...(typeof path === "string" ? [path] : []), ...latest])].slice(0, MOST_FILES);
}

const MOST_FILES = 200;

/** Those that were attached. */
function shownIn(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const { attachments } = splitContent(entry.message.content);
    return attachments.flatMap(({ kind, name }) => (kind === "file" ? [name] : []));
  });
}

export interface RelearningParts {
  readonly session: Session;
  readonly files: Pick<WorkspaceFiles, "read" | "resolve">;
  /** Whether a tool could read what lies there: a session may name any place. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

/** A placeholder whose value is unknown is learnt again from the files that the session has seen. */
export function relearning(vault: Vault, parts: RelearningParts): Secrets {
  return {
    redact: (value) => vault.redact(value),
    stream: () => vault.stream(),
    takeFindings: () => vault.takeFindings(),
    listPlaceholders: (value) => vault.listPlaceholders(value),
    restore: async (value) => {
      const restored = vault.restore(value);
      if (restored.type === "restored") return restored;
      return (await learnt(value, vault, parts)) ?? vault.restore(value, { sourceText: await fileOf(value, parts) });
    },
  };
}

/** Null where no file that the session has seen tells it. */
async function learnt<Value>(
  value: Value,
  vault: Vault,
  parts: RelearningParts,
): Promise<RestoreSecretsResult<Value> | null> {
  let room = MOST_BYTES;
  for (const path of filesOnceSeen(parts.session.branch.entries, value)) {
    const text = await textAt(path, parts);
    room -= text.length;
    if (room < 0) break;
    vault.learn(text);
    const restored = vault.restore(value);
    if (restored.type === "restored") return restored;
  }
  return null;
}

/** The file that a call is about may have placeholders for a text of its own: then they are no secrets. */
async function fileOf(value: unknown, parts: RelearningParts): Promise<string> {
  const { path } = Object(value) as { readonly path?: unknown };
  return typeof path === "string" ? await textAt(path, parts) : "";
}

/** What is no file any more, is too much, or is closed to tools has nothing to tell. */
async function textAt(path: string, { files, mayRead }: RelearningParts): Promise<string> {
  const at = files.resolve(path);
  if (!(await mayRead(at))) return "";
  const read = await files.read(at, { maxBytes: MOST_OF_ONE });
  return read.type === "read" ? new TextDecoder().decode(read.bytes) : "";
}

const MOST_OF_ONE = 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

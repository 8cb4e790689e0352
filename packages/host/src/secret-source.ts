/** Resolves the secrets that a permitted command requests: values of placeholders, environment variables, and logins stored by tools. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Login, LoginOptions, SecretSource } from "@pith/agent";
import { findSafeProgram, resolveRealPath, safeEnvironment } from "@pith/agent/node";
import type { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import { listLoginKeys } from "./settings/keys-in-use.ts";

export interface SecretSourceOptions {
  readonly vault: Pick<Vault, "restore" | "learn" | "addKey"> | null;
  readonly environment: Environment;
  /** The user's home folder. */
  readonly home: string;
  /** Folders in which commands may write. No program in them is run. */
  readonly writable: readonly string[];
  /** Names of variables that are never passed to a command. */
  readonly withheldVariables: readonly string[];
}

export function createSecretSource(options: SecretSourceOptions): SecretSource {
  const { vault, environment, withheldVariables } = options;
  return {
    resolvePlaceholder: async (placeholder) => {
      const restoreResult = vault?.restore(placeholder);
      return restoreResult?.type === "restored" && restoreResult.value !== placeholder ? restoreResult.value : null;
    },
    readVariable: (name) => {
      const isAvailable = Object.hasOwn(environment, name) && !withheldVariables.includes(name);
      const value = isAvailable ? (environment[name] ?? null) : null;
      if (value !== null) vault?.addKey(name, value);
      return value;
    },
    findLogin: async (name, loginOptions) =>
      name === "git" ? await findGitLogin(loginOptions, options) : await findFileLogin(name, options),
  };
}

const CREDENTIAL_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: [".npmrc"],
  pip: [".netrc", ".config/pip/pip.conf", ".pip/pip.conf"],
  cargo: [".cargo/credentials.toml", ".cargo/credentials"],
};

/** Returns the credential files of a tool, and the variables that the files refer to, such as `${NPM_TOKEN}`. */
async function findFileLogin(
  name: string,
  { home, environment, withheldVariables, vault }: SecretSourceOptions,
): Promise<Login | null> {
  const files = (CREDENTIAL_FILES[name] ?? []).filter((file) => existsSync(join(home, file)));
  if (files.length === 0) return null;
  const texts = await Promise.all(files.map((file) => readFile(join(home, file), "utf8").catch(() => "")));
  for (const text of texts) vault?.learn(text);
  const variableNames = texts.flatMap((text) =>
    Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, variable = ""]) => variable),
  );
  const variables = variableNames.flatMap((variable): readonly (readonly [string, string])[] => {
    const value = withheldVariables.includes(variable) ? undefined : environment[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  for (const [variable, value] of variables) vault?.addKey(variable, value);
  return { environment: Object.fromEntries(variables), credentialFiles: files.map((file) => `~/${file}`) };
}

/** SEC20: runs git's credential helpers outside the sandbox, for these hosts only. The command gets a header for each host, and no helper. */
async function findGitLogin({ hosts, signal }: LoginOptions, options: SecretSourceOptions): Promise<Login | null> {
  const headers = await Promise.all(
    hosts.map(async (host) => ({ host, header: await createGitAuthHeader(host, options, signal) })),
  );
  const configEntries = headers.flatMap(({ host, header }) =>
    header === null ? [] : [[`http.https://${host}/.extraHeader`, header]],
  );
  if (configEntries.length === 0) return null;
  const firstIndex = Number(options.environment.GIT_CONFIG_COUNT ?? 0) || 0;
  const variables = configEntries.flatMap(([key = "", value = ""], index) => [
    [`GIT_CONFIG_KEY_${firstIndex + index}`, key],
    [`GIT_CONFIG_VALUE_${firstIndex + index}`, value],
  ]);
  const count = { GIT_CONFIG_COUNT: `${firstIndex + configEntries.length}` };
  return { environment: { ...Object.fromEntries(variables), ...count }, credentialFiles: [] };
}

/** Null if git has no login for the host. */
async function createGitAuthHeader(
  host: string,
  options: SecretSourceOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const credential = await runGitCredential(`protocol=https\nhost=${host}\n\n`, options, signal);
  const readField = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(credential)?.[1] ?? "";
  const [user, password] = [readField("username"), readField("password")];
  if (password === "") return null;
  // The vault learns the credentials, so that they are redacted if a command prints them.
  for (const key of listLoginKeys({ name: `git login for ${host}`, user, password }))
    options.vault?.addKey(key.name, key.value);
  return `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

async function runGitCredential(
  input: string,
  sourceOptions: SecretSourceOptions,
  signal: AbortSignal,
): Promise<string> {
  const { environment, home } = sourceOptions;
  const writable = await Promise.all(
    sourceOptions.writable.map(async (folder) => (await resolveRealPath(folder)) ?? folder),
  );
  const program = findSafeProgram({ name: "git", searchPath: environment.PATH ?? "", writable });
  if (program === null) return "";
  // Git must not prompt: no user can answer here.
  const safeVariables = safeEnvironment(environment, sourceOptions.writable);
  const env = { ...safeVariables, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "/bin/false", SSH_ASKPASS: "/bin/false" };
  return await new Promise((resolve) => {
    const options = { cwd: home, env, timeout: GIT_TIMEOUT_MS, signal };
    const child = execFile(program, ["credential", "fill"], options, (error, text) => resolve(error ? "" : text));
    child.stdin?.on("error", () => {}).end(input);
  });
}

const GIT_TIMEOUT_MS = 15_000;

/** Finds the true values that a permitted command asked for: of placeholders, of variables, and of the logins that tools have stored. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Login, LoginOptions, SecretSource } from "@pith/agent";
import { findSafeProgram, resolveRealPath, safeEnvironment } from "@pith/agent/node";
import type { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";

export interface SecretPlace {
  readonly vault: Pick<Vault, "restore" | "learn"> | null;
  readonly environment: Environment;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders in which commands may write: no program of theirs is run. */
  readonly writable: readonly string[];
  /** Names of variables that no command ever gets. */
  readonly withheld: readonly string[];
}

export function secretSource(place: SecretPlace): SecretSource {
  const { vault, environment, withheld } = place;
  return {
    resolvePlaceholder: async (placeholder) => {
      const restored = vault?.restore(placeholder);
      return restored?.type === "restored" && restored.value !== placeholder ? restored.value : null;
    },
    readVariable: (name) => {
      const isThere = Object.hasOwn(environment, name) && !withheld.includes(name);
      return isThere ? (environment[name] ?? null) : null;
    },
    findLogin: async (name, wish) => (name === "git" ? await gitLogin(wish, place) : await fileLogin(name, place)),
  };
}

const FILES: Readonly<Record<string, readonly string[]>> = {
  npm: [".npmrc"],
  pip: [".netrc", ".config/pip/pip.conf", ".pip/pip.conf"],
  cargo: [".cargo/credentials.toml", ".cargo/credentials"],
};

/** The files as they are, and the variables that stand in them, such as `${NPM_TOKEN}`. */
async function fileLogin(name: string, { home, environment, withheld }: SecretPlace): Promise<Login | null> {
  const files = (FILES[name] ?? []).filter((file) => existsSync(join(home, file)));
  if (files.length === 0) return null;
  const texts = await Promise.all(files.map((file) => readFile(join(home, file), "utf8").catch(() => "")));
  const named = texts.flatMap((text) => Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, variable = ""]) => variable));
  const passed = named.flatMap((variable): readonly (readonly [string, string])[] => {
    const value = withheld.includes(variable) ? undefined : environment[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  return { environment: Object.fromEntries(passed), credentialFiles: files.map((file) => `~/${file}`) };
}

/** SEC20: git's own helpers are asked outside the sandbox, for these hosts alone; the command gets a header for each, and no helper. */
async function gitLogin({ hosts, signal }: LoginOptions, place: SecretPlace): Promise<Login | null> {
  const asked = await Promise.all(hosts.map(async (host) => ({ host, header: await gitHeader(host, place, signal) })));
  const found = asked.flatMap(({ host, header }) =>
    header === null ? [] : [[`http.https://${host}/.extraHeader`, header]],
  );
  if (found.length === 0) return null;
  const first = Number(place.environment.GIT_CONFIG_COUNT ?? 0) || 0;
  const variables = found.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  const count = { GIT_CONFIG_COUNT: `${first + found.length}` };
  return { environment: { ...Object.fromEntries(variables), ...count }, credentialFiles: [] };
}

/** Null where git knows no login for it. */
async function gitHeader(host: string, place: SecretPlace, signal: AbortSignal): Promise<string | null> {
  const answer = await askGit(`protocol=https\nhost=${host}\n\n`, place, signal);
  const field = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(answer)?.[1] ?? "";
  const [user, password] = [field("username"), field("password")];
  if (password === "") return null;
  const header = `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  // What a command may show of it is found again.
  place.vault?.learn(`https://${user}:${password}@${host}/\n${header}\n`);
  return header;
}

async function askGit(question: string, place: SecretPlace, signal: AbortSignal): Promise<string> {
  const { environment, home } = place;
  const writable = await Promise.all(place.writable.map(async (folder) => (await resolveRealPath(folder)) ?? folder));
  const program = findSafeProgram({ name: "git", searchPath: environment.PATH ?? "", writable });
  if (program === null) return "";
  // Nobody is there to type anything.
  const safe = safeEnvironment(environment, place.writable);
  const env = { ...safe, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "/bin/false", SSH_ASKPASS: "/bin/false" };
  return await new Promise((resolve) => {
    const options = { cwd: home, env, timeout: LONGEST_MS, signal };
    const child = execFile(program, ["credential", "fill"], options, (error, text) => resolve(error ? "" : text));
    child.stdin?.on("error", () => {}).end(question);
  });
}

const LONGEST_MS = 15_000;

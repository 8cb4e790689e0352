/**
 * Copies tool configuration from the user's home into a private home, without credentials. Each file is parsed and written anew, so that
 * nothing that was not understood is passed on; in doubt, a setting is dropped. Never writes through a link.
 */

import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { openOrCreateFolder, replaceFile } from "../safe-files.ts";
import { secretPathsIn } from "./secret-paths.ts";

export interface CopyOptions {
  readonly home: string;
  /** A real path. */
  readonly privateHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Strip = (text: string) => string;

interface Configuration {
  /** Absolute. */
  readonly path: string;
  readonly strip: Strip;
}

const keepText: Strip = (text) => text;

/**
 * Each session copies again, so changes that commands make to a copy last until then. A file that cannot be read or written is skipped:
 * tools then use their defaults.
 */
export async function copyConfigurations(options: CopyOptions): Promise<void> {
  const { home, privateHome, environment } = options;
  const { hasSecret } = await import("@pith/context/secrets");
  const dropSecretLines = (text: string): string =>
    text
      .split("\n")
      .filter((line) => !hasSecret(line))
      .join("\n");
  const configurations = [...configurationsIn(home, environment)];
  const copiedPaths = new Set<string>();
  for (const { path, strip } of configurations) {
    if (copiedPaths.has(path) || !isWithin(home, path) || copiedPaths.size >= MAX_FILES) continue;
    copiedPaths.add(path);
    const text = await readConfiguration(path);
    if (text === null) continue;
    const stripped = strip(text);
    if (strip === stripGitConfig) configurations.push(...findGitIncludes(stripped, { path, home }));
    await writeCopy(join(privateHome, relative(home, path)), dropSecretLines(stripped)).catch(() => undefined);
  }
}

const MAX_FILES = 60;

function configurationsIn(home: string, environment: CopyOptions["environment"]): readonly Configuration[] {
  const configFolder = environment.XDG_CONFIG_HOME || join(home, ".config");
  const toConfigurations = (strip: Strip, ...paths: readonly (string | undefined)[]): readonly Configuration[] =>
    paths.flatMap((path) => (path ? [{ path: resolve(home, path), strip }] : []));
  return [
    ...toConfigurations(stripGitConfig, ".gitconfig", join(configFolder, "git/config"), environment.GIT_CONFIG_GLOBAL),
    ...toConfigurations(
      keepText,
      join(configFolder, "git/ignore"),
      join(configFolder, "git/attributes"),
      ".tool-versions",
      ".python-version",
    ),
    ...toConfigurations(
      stripNpmrc,
      ".npmrc",
      join(configFolder, "pnpm/rc"),
      environment.NPM_CONFIG_USERCONFIG,
      environment.npm_config_userconfig,
    ),
    ...toConfigurations(stripYarnrc, ".yarnrc.yml"),
    ...toConfigurations(stripIni, join(configFolder, "pip/pip.conf"), ".pip/pip.conf", environment.PIP_CONFIG_FILE),
    ...toConfigurations(
      stripToml,
      ".cargo/config.toml",
      ".cargo/config",
      join(configFolder, "uv/uv.toml"),
      join(configFolder, "mise/config.toml"),
    ),
    ...toConfigurations(
      stripToml,
      join(configFolder, "pypoetry/config.toml"),
      environment.CARGO_HOME && join(environment.CARGO_HOME, "config.toml"),
    ),
    ...toConfigurations(stripGoEnv, join(configFolder, "go/env")),
    ...toConfigurations(stripGradleProperties, ".gradle/gradle.properties"),
    ...toConfigurations(stripMavenSettings, ".m2/settings.xml"),
  ];
}

/** Included configuration, which may set the user's name for some repositories, and lists of ignored files. */
function findGitIncludes(
  text: string,
  { path, home }: { readonly path: string; readonly home: string },
): readonly Configuration[] {
  const secrets = secretPathsIn(home);
  return parseGitConfig(text).flatMap(({ name, value }) => {
    const strip = { path: stripGitConfig, excludesfile: keepText, attributesfile: keepText }[name.toLowerCase()];
    if (!strip || !value) return [];
    const includedPath = resolve(dirname(path), value.replace(/^~(?=\/)/, home));
    return secrets.some((secret) => isWithin(secret, includedPath)) ? [] : [{ path: includedPath, strip }];
  });
}

const MAX_BYTES = 256 * 1024;

/** Follows links: many users keep these files in a repository. Null where there is no file. */
async function readConfiguration(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Most of them do not exist.
    return null;
  }
}

const OWNER_ONLY_MODE = 0o600;

/** Does not follow links, which commands may have left in the private home. */
async function writeCopy(path: string, text: string): Promise<void> {
  if (text.trim() === "") return;
  const folder = await openOrCreateFolder(dirname(path));
  try {
    const copyPath = join(folder.path, basename(path));
    if ((await readCopyNoFollow(copyPath)) !== text)
      await replaceFile(copyPath, { bytes: Buffer.from(text), mode: OWNER_ONLY_MODE });
  } finally {
    await folder.file.close();
  }
}

async function readCopyNoFollow(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await file.readFile("utf8").finally(() => file.close());
  } catch {
    return null;
  }
}

/** Names of settings that hold logins, keys or paths to them. */
const SECRET_KEY = /auth|token|pass|secret|credential|cookie|otp|private[-_]|user|login|email|cert(?:file)?$|key/i;

/** Removes user info and queries from URLs. Null where the value could still hold a secret. */
function cleanValue(value: string): string | null {
  const plain = value
    .replace(/(\b[\w+.-]+:\/\/)[^\s/@"'|,]*@/g, "$1")
    .replace(/(\b[\w+.-]+:\/\/[^\s?"'|,]*)\?[^\s"'|,]*/g, "$1");
  if (/:\/\/.*@/.test(plain) || /BEGIN [A-Z ]*PRIVATE KEY/.test(plain)) return null;
  const addresses = plain.match(/:\/\/[^\s"'|,]+/g) ?? [];
  return addresses.some(hasTokenInPath) ? null : plain;
}

/** Some registries accept a token as a part of the path. */
function hasTokenInPath(address: string): boolean {
  const [, ...parts] = address.slice(3).split("/");
  return parts.some(
    (part) => /^[\w-]{16,}$/.test(part) && (part.match(/\d/g)?.length ?? 0) >= 3 && /[a-z]/i.test(part),
  );
}

export interface GitSetting {
  readonly section: string;
  readonly subsection: string | null;
  readonly name: string;
  /** Null for a name without a value, which means true. */
  readonly value: string | null;
}

/** Sections without secrets. */
const GIT_SECTIONS =
  /^(?:advice|apply|branch|color|column|feature|fetch|format|gc|grep|i18n|index|init|log|merge|pack|protocol|pull|push|rebase|rerere|safe|stash|status|submodule|versionsort|worktree)$/;
/** Harmless settings of other sections, as `section.name`. */
const GIT_NAMES =
  /^(?:user\.(?:name|email|useconfigonly)|(?:author|committer)\.(?:name|email)|core\.(?:abbrev|attributesfile|autocrlf|bigfilethreshold|checkstat|commentchar|compression|eol|excludesfile|filemode|fscache|ignorecase|longpaths|precomposeunicode|preloadindex|protecthfs|protectntfs|quotepath|safecrlf|sharedrepository|symlinks|untrackedcache|whitespace)|commit\.(?:cleanup|status|verbose)|tag\.sort|diff\.(?:algorithm|colormoved|colormovedws|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|renamelimit|renames|submodule|wserrorhighlight)|http\.(?:lowspeedlimit|lowspeedtime|maxrequests|postbuffer|proxy|sslbackend|sslcainfo|sslverify|version)|https\.proxy|filter\.(?:clean|process|required|smudge)|include\.path|includeif\.path|url\.(?:insteadof|pushinsteadof))$/;

/** Drops hooks, commands, signing keys, headers and everything about credentials. */
export function stripGitConfig(text: string): string {
  return formatGitConfig(parseGitConfig(text).flatMap((setting) => cleanGitSetting(setting) ?? []));
}

function cleanGitSetting(setting: GitSetting): GitSetting | null {
  const section = setting.section.toLowerCase();
  const name = setting.name.toLowerCase();
  const isKnown = GIT_NAMES.test(`${section}.${name}`) || (GIT_SECTIONS.test(section) && !SECRET_KEY.test(name));
  if (!isKnown || (section === "filter" && setting.subsection !== "lfs")) return null;
  // A subsection for a URL with a login would not match the URL without it.
  if (setting.subsection !== null && cleanValue(setting.subsection) !== setting.subsection) return null;
  const isPlain = section === "user" || section === "author" || section === "committer";
  const value = setting.value === null || isPlain ? setting.value : cleanValue(setting.value);
  return value === null && setting.value !== null ? null : { ...setting, value };
}

export function parseGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = "";
  let subsection: string | null = null;
  for (const line of text
    .replace(/^\ufeff/, "")
    .replace(/\r\n/g, "\n")
    .replace(/(?<!\\)((?:\\\\)*)\\\n/g, "$1")
    .split("\n")) {
    let rest = line.trimStart();
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (header) {
      const [first = "", ...more] = (header[1] ?? "").split(".");
      section = first;
      subsection = header[2]?.replace(/\\(.)/g, "$1") ?? (more.length > 0 ? more.join(".") : null);
      rest = rest.slice(header[0].length).trimStart();
    } else if (rest.startsWith("[")) section = "";
    const [, name = "", equals, value = ""] = /^([A-Za-z][\w-]*)\s*(?:(=)(.*))?$/.exec(rest) ?? [];
    if (section === "" || name === "") continue;
    settings.push({ section, subsection, name, value: equals ? parseGitValue(value) : null });
  }
  return settings;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

function parseGitValue(text: string): string {
  let value = "";
  let trimmedLength = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "#" || character === ";")) break;
    else if (character === "\\") {
      index += 1;
      value += ESCAPES[text.charAt(index)] ?? text.charAt(index);
    } else value += character;
    // Trailing spaces count only inside quotes.
    if (isQuoted || !/\s/.test(character)) trimmedLength = value.length;
  }
  return value.slice(0, trimmedLength).trimStart();
}

function formatGitConfig(settings: readonly GitSetting[]): string {
  const quote = (value: string): string =>
    `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
  return settings
    .map(({ section, subsection, name, value }) => {
      const header = subsection === null ? `[${section}]` : `[${section} ${quote(subsection)}]`;
      return `${header}\n\t${name}${value === null ? "" : ` = ${quote(value)}`}\n`;
    })
    .join("");
}

/** For `.npmrc` and pnpm's `rc`. Settings of a host (`//host/:…`) are logins and dropped. */
export function stripNpmrc(text: string): string {
  return joinLines(
    text.split(/\r?\n/).map((line) => {
      const [, name = "", value = ""] =
        /^\s*((?:@[\w.-]+:registry|[A-Za-z][\w-]*)(?:\[\])?)\s*=\s*(.*)$/.exec(line) ?? [];
      return cleanPair(name, value, "=");
    }),
  );
}

function cleanPair(name: string, value: string, separator: string): string | null {
  const clean = name === "" || SECRET_KEY.test(name) ? null : cleanValue(value.trim());
  return clean === null ? null : `${name}${separator}${clean}`;
}

function joinLines(lines: readonly (string | null)[]): string {
  const keptLines = lines.filter((line) => line !== null);
  return keptLines.length === 0 ? "" : `${keptLines.join("\n")}\n`;
}

/** For `pip.conf`: sections with names and values; indented lines continue a value. */
export function stripIni(text: string): string {
  const lines: (string | null)[] = [];
  let isDropped = true;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    if (/^\[[\w .-]+\]\s*$/.test(line)) {
      isDropped = true;
      lines.push(line.trim());
    } else if (/^\s/.test(line)) {
      const value = isDropped ? null : cleanValue(line.trim());
      lines.push(value === null ? null : `    ${value}`);
    } else {
      const [, name = "", value = ""] = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
      // pip's `cert` names certificate authorities; the file with the user's key is `client-cert`.
      const cleanCertificate = name === "cert" ? cleanValue(value.trim()) : null;
      const pair = cleanCertificate === null ? cleanPair(name, value, " = ") : `${name} = ${cleanCertificate}`;
      isDropped = pair === null;
      lines.push(pair);
    }
  }
  return joinLines(lines);
}

/** For cargo, uv, poetry and mise. Tables of environment variables are dropped, because they may hold anything. */
export function stripToml(text: string): string {
  const lines: string[] = [];
  let isDropped = false;
  for (const statement of splitTomlStatements(text)) {
    if (statement.startsWith("[")) {
      isDropped = isSecretTomlKey(statement) || /["']/.test(dropPlainQuotedParts(statement));
      if (!isDropped) lines.push(statement);
      continue;
    }
    const [, name = "", value = ""] = /^([\w."' -]+?)\s*=\s*([\s\S]*)$/.exec(statement) ?? [];
    const isSecret = isSecretTomlKey(name) || hasSecretInlineKey(value);
    const clean = isDropped || name === "" || isSecret ? null : cleanValue(value);
    if (clean !== null) lines.push(`${name} = ${clean}`);
  }
  return joinLines(lines);
}

/** Removes the quoted parts of a header that are plain names; remaining quotes make it suspicious. */
function dropPlainQuotedParts(header: string): string {
  return header.replace(/"[\w.@/:+-]*"|'[\w.@/:+-]*'/g, (part) => (cleanValue(part) === part ? "" : part));
}

/** Whether a part of a dotted name, or of a header, indicates a secret or environment variables. */
function isSecretTomlKey(name: string): boolean {
  return name.split(/[[\].\s"']+/).some((part) => SECRET_KEY.test(part) || /^env\b/i.test(part));
}

/** Keys may be dotted and quoted. A key with an escape counts, and so does text in a string that only looks like a key. */
function hasSecretInlineKey(value: string): boolean {
  const keys = [...value.matchAll(/(?<=[{,=]\s*)[^\s={},][^={},]*(?==)/g)].map(([key]) => key);
  return keys.some((key) => isSecretTomlKey(key) || key.includes("\\"));
}

const OPENING_BRACKETS = "[{";
const CLOSING_BRACKETS = "]}";

/** Without comments. A statement that is not closed at the end of the file is left out. */
function splitTomlStatements(text: string): readonly string[] {
  const statements: string[] = [];
  let current = "";
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const quote = /^(?:"""|'''|"|')/.exec(text.slice(index, index + 3))?.[0];
    if (quote) {
      const end = findStringEnd(text, index + quote.length, quote);
      if (end === null) return statements;
      current += text.slice(index, end);
      index = end - 1;
      continue;
    }
    const character = text.charAt(index);
    if (character === "#") {
      const end = text.indexOf("\n", index);
      index = end < 0 ? text.length : end - 1;
    } else if (character === "\n" && depth <= 0) {
      if (current.trim() !== "") statements.push(current.trim());
      [current, depth] = ["", 0];
    } else {
      if (OPENING_BRACKETS.includes(character)) depth += 1;
      if (CLOSING_BRACKETS.includes(character)) depth -= 1;
      current += character;
    }
  }
  return depth <= 0 && current.trim() !== "" ? [...statements, current.trim()] : statements;
}

function findStringEnd(text: string, start: number, quote: string): number | null {
  for (let index = start; index < text.length; index += 1) {
    if (text.startsWith(quote, index)) return index + quote.length;
    if (text.charAt(index) === "\\" && quote.startsWith('"')) index += 1;
    else if (text.charAt(index) === "\n" && quote.length === 1) return null;
  }
  return null;
}

/** For `go env -w`. */
export function stripGoEnv(text: string): string {
  return joinLines(
    text.split(/\r?\n/).map((line) => {
      const [, name = "", value = ""] = /^(GO[A-Z0-9]+|CGO_[A-Z_]+|CC|CXX|AR)=(.*)$/.exec(line) ?? [];
      return cleanPair(name, value, "=");
    }),
  );
}

/** For `gradle.properties`: settings of gradle itself and of the proxy. */
export function stripGradleProperties(text: string): string {
  const settingPattern =
    /^\s*(org\.gradle\.[\w.-]+|systemProp\.https?\.(?:proxyHost|proxyPort|nonProxyHosts))\s*[=:]\s*(.*)$/;
  return joinLines(
    text
      .replace(/\\\r?\n\s*/g, "")
      .split(/\r?\n/)
      .map((line) => {
        const [, key = "", value = ""] = settingPattern.exec(line) ?? [];
        return cleanPair(key, value, "=");
      }),
  );
}

/** For `.yarnrc.yml`: registries, the linker and proxies. */
export function stripYarnrc(text: string): string {
  const lines: (string | null)[] = [];
  let isInScopes = false;
  for (const line of text.split(/\r?\n/)) {
    const [, indent = "", name = "", value = ""] = /^( *)["']?([\w@.-]+)["']?:\s*(.*)$/.exec(line) ?? [];
    if (name === "") continue;
    if (indent === "") isInScopes = name === "npmScopes" && value === "";
    const isScope = isInScopes && (indent === "" || value === "");
    const isKnown =
      /^(?:npmRegistryServer|nodeLinker|enable\w+|https?Proxy)$/.test(name) && (indent === "" || isInScopes);
    if (isScope) lines.push(line.trimEnd());
    else if (isKnown) lines.push(cleanPair(`${indent}${name}`, value, ": "));
  }
  return joinLines(lines);
}

/** For maven's `settings.xml`: only mirrors. */
export function stripMavenSettings(text: string): string {
  const mirrors = [...text.matchAll(/<mirror>([\s\S]*?)<\/mirror>/g)].flatMap(([, inside = ""]) => {
    const parts = ["id", "name", "url", "mirrorOf"].map((name) => {
      const value = new RegExp(`<${name}>([^<]*)</${name}>`).exec(inside)?.[1];
      const clean = value === undefined ? null : cleanValue(value.trim());
      return clean === null ? "" : `<${name}>${clean}</${name}>`;
    });
    return parts[2] === "" ? [] : [`    <mirror>${parts.join("")}</mirror>`];
  });
  return mirrors.length === 0 ? "" : `<settings>\n  <mirrors>\n${mirrors.join("\n")}\n  </mirrors>\n</settings>\n`;
}

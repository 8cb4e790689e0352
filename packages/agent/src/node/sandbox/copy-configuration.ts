/** Copies the configuration that tools need from the user's home into a private home, without credentials. Never writes through a link. */

import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { openOrCreateFolder, replaceFile } from "../safe-files.ts";
import { secretPathsIn } from "./secret-paths.ts";
import {
  parseGitConfig,
  stripGitConfig,
  stripGoEnv,
  stripGradleProperties,
  stripIni,
  stripMavenSettings,
  stripNpmrc,
  stripToml,
  stripYarnrc,
} from "./strip-credentials.ts";

export interface CopyOptions {
  readonly home: string;
  /** Through no link. */
  readonly privateHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Strip = (text: string) => string;

interface Configuration {
  /** Absolute, in the home. */
  readonly path: string;
  readonly strip: Strip;
}

const keepText: Strip = (text) => text;

/**
 * What a command changes in a copy lasts until the next session, which copies anew. A file that cannot be read or written is left out:
 * tools then run with their defaults.
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

/** Included settings, which may hold the user's name for some repositories, and lists of ignored files. */
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

/** A link is followed: many keep such files in a repository. Null where there is none. */
async function readConfiguration(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Most of them are not there.
    return null;
  }
}

const OWNER_ONLY_MODE = 0o600;

/** What commands left in the private home may be links to anywhere. */
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

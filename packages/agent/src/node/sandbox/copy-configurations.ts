/** Copies the configuration that tools need from the user's home into a private home, without credentials. Never writes through a link. */

import { constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { openFolder, takePlace } from "../safe-files.ts";
import { secretPlacesIn } from "./secret-places.ts";
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

const asItIs: Strip = (text) => text;

/**
 * What a command changes in a copy lasts until the next session, which copies anew. A file that cannot be read or written is left out:
 * tools then run with their defaults.
 */
export async function copyConfigurations(options: CopyOptions): Promise<void> {
  const { home, privateHome, environment } = options;
  const { hasSecret } = await import("@pith/context/secrets");
  const withoutSecrets = (text: string): string =>
    text
      .split("\n")
      .filter((line) => !hasSecret(line))
      .join("\n");
  const copies = [...configurationsIn(home, environment)];
  const seen = new Set<string>();
  for (const { path, strip } of copies) {
    if (seen.has(path) || !isWithin(home, path) || seen.size >= MOST_FILES) continue;
    seen.add(path);
    const text = await readConfiguration(path);
    if (text === null) continue;
    const stripped = strip(text);
    if (strip === stripGitConfig) copies.push(...namedByGit(stripped, { path, home }));
    await writeCopy(join(privateHome, relative(home, path)), withoutSecrets(stripped)).catch(() => undefined);
  }
}

const MOST_FILES = 60;

function configurationsIn(home: string, environment: CopyOptions["environment"]): readonly Configuration[] {
  const config = environment.XDG_CONFIG_HOME || join(home, ".config");
  const at = (strip: Strip, ...paths: readonly (string | undefined)[]): readonly Configuration[] =>
    paths.flatMap((path) => (path ? [{ path: resolve(home, path), strip }] : []));
  return [
    ...at(stripGitConfig, ".gitconfig", join(config, "git/config"), environment.GIT_CONFIG_GLOBAL),
    ...at(asItIs, join(config, "git/ignore"), join(config, "git/attributes"), ".tool-versions", ".python-version"),
    ...at(
      stripNpmrc,
      ".npmrc",
      join(config, "pnpm/rc"),
      environment.NPM_CONFIG_USERCONFIG,
      environment.npm_config_userconfig,
    ),
    ...at(stripYarnrc, ".yarnrc.yml"),
    ...at(stripIni, join(config, "pip/pip.conf"), ".pip/pip.conf", environment.PIP_CONFIG_FILE),
    ...at(
      stripToml,
      ".cargo/config.toml",
      ".cargo/config",
      join(config, "uv/uv.toml"),
      join(config, "mise/config.toml"),
    ),
    ...at(
      stripToml,
      join(config, "pypoetry/config.toml"),
      environment.CARGO_HOME && join(environment.CARGO_HOME, "config.toml"),
    ),
    ...at(stripGoEnv, join(config, "go/env")),
    ...at(stripGradleProperties, ".gradle/gradle.properties"),
    ...at(stripMavenSettings, ".m2/settings.xml"),
  ];
}

/** Included settings, which may hold the user's name for some repositories, and lists of ignored files. */
function namedByGit(
  text: string,
  { path, home }: { readonly path: string; readonly home: string },
): readonly Configuration[] {
  const secrets = secretPlacesIn(home);
  return parseGitConfig(text).flatMap(({ name, value }) => {
    const strip = { path: stripGitConfig, excludesfile: asItIs, attributesfile: asItIs }[name.toLowerCase()];
    if (!strip || !value) return [];
    const named = resolve(dirname(path), value.replace(/^~(?=\/)/, home));
    return secrets.some((secret) => isWithin(secret, named)) ? [] : [{ path: named, strip }];
  });
}

const MOST_BYTES = 256 * 1024;

/** A link is followed: many keep such files in a repository. Null where there is none. */
async function readConfiguration(path: string): Promise<string | null> {
  try {
    const entry = await stat(path);
    return entry.isFile() && entry.size <= MOST_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Most of them are not there.
    return null;
  }
}

const OWNER_ONLY = 0o600;

/** What commands left in the private home may be links to anywhere. */
async function writeCopy(path: string, text: string): Promise<void> {
  if (text.trim() === "") return;
  const folder = await openFolder(dirname(path));
  try {
    const at = join(folder.path, basename(path));
    if ((await readOwnCopy(at)) !== text) await takePlace(at, { bytes: Buffer.from(text), mode: OWNER_ONLY });
  } finally {
    await folder.file.close();
  }
}

async function readOwnCopy(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await file.readFile("utf8").finally(() => file.close());
  } catch {
    return null;
  }
}

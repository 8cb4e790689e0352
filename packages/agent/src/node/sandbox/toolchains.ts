/** Finds the programs in a home that commands need: folders of `PATH` with what lies around them, and the folders of version managers. */

import { type Dirent, readdirSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../text.ts";
import { presentPath, presentPaths } from "./box.ts";
import type { Mount } from "./mounts.ts";

/** Within the home. They hold programs and libraries, and neither logins nor what somebody works on. */
const TOOLCHAINS: readonly string[] = [
  ...[
    ".nvm",
    ".pyenv",
    ".rustup",
    ".asdf",
    ".sdkman",
    ".volta",
    ".fnm",
    ".rbenv",
    ".rvm",
    ".nodenv",
    ".goenv",
    ".jenv",
  ],
  ...[
    ".phpenv",
    ".swiftly",
    ".juliaup",
    ".julia/juliaup",
    ".ghcup",
    ".opam",
    ".elan",
    ".dotnet",
    ".deno/bin",
    ".bun",
    ".foundry/bin",
  ],
  ...[".tfenv", ".krew/bin", ".linuxbrew", ".nix-profile", ".local/state/nix", ".npm-global", ".npm-packages"],
  ...[".cargo/bin", ".local/bin", ".local/lib", ".local/share/mise", ".local/share/fnm", ".local/share/pnpm"],
  ...[".local/share/uv/python", ".local/share/uv/tools", ".local/pipx", ".local/share/pipx", ".local/share/swiftly"],
  ...[".composer/vendor", ".config/composer/vendor", ".config/yarn/global", ".pub-cache/bin", "go/bin"],
  ...["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "n", "sdk", "flutter", "Android/Sdk"],
];

/** Variables that name such a folder, or the certificates of a company. */
const VARIABLES: readonly string[] = [
  ...["PYENV_ROOT", "NVM_DIR", "RUSTUP_HOME", "SDKMAN_DIR", "VOLTA_HOME", "ASDF_DATA_DIR", "ASDF_DIR", "MISE_DATA_DIR"],
  ...["FNM_DIR", "RBENV_ROOT", "NODENV_ROOT", "GOENV_ROOT", "GOROOT", "JAVA_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT"],
  ...[
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
    "BUN_INSTALL",
    "PNPM_HOME",
    "DOTNET_ROOT",
    "GEM_HOME",
    "FLUTTER_ROOT",
    "UV_PYTHON_INSTALL_DIR",
  ],
  ...[
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
  ],
];

/** Caches that lie in a toolchain's folder; commands write their own. */
const CACHES_IN_TOOLCHAINS: readonly string[] = [".bun/install/cache", ".local/share/pnpm/store"];

/** Folders with a `bin` in which much else lies than programs. */
const MIXED: readonly string[] = ["", ".local", ".cargo", ".config", ".deno", ".foundry", ".krew", ".pub-cache", "go"];
/** What stands beside a `bin` where something was installed. */
const INSTALLED = /^(?:lib|lib64|libexec|share|include|gems|site-packages)$/;

export interface ToolchainOptions {
  /** Through no link. */
  readonly home: string;
  /** Folders that commands do not see otherwise, the home among them; through no link. */
  readonly hidden: readonly string[];
  readonly privateHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Read-only; through no link, and none of them holds the home. */
export function findToolchains({ home, hidden, privateHome, environment }: ToolchainOptions): readonly Mount[] {
  const isHidden = (path: string): boolean => hidden.some((each) => isWithin(each, path)) && !isWithin(path, home);
  const folders = presentPaths((environment.PATH ?? "").split(delimiter).filter(isAbsolute)).filter(isHidden);
  const linked = folders.flatMap(linkTargets).filter(isHidden);
  const found = [
    ...presentPaths(TOOLCHAINS.map((name) => join(home, name))),
    ...presentPaths(VARIABLES.map((name) => environment[name] ?? "")),
    ...folders.map((folder) => installationAround(folder, home)),
    ...linked.map((path) => (basename(dirname(path)) === "bin" ? installationAround(dirname(path), home) : path)),
  ].filter(isHidden);
  const shown = outermost([...new Set(found)]).map((path): Mount => ({ path, as: "readable" }));
  return [...shown, ...ownCaches({ home, privateHome }, shown)];
}

/** `X/bin` belongs to the installation X where it looks like one, `X/shims` to a version manager and `X/.bin` to packages; else it stands for itself. */
function installationAround(folder: string, home: string): string {
  const around = dirname(folder);
  if (basename(folder) === "shims" || folder.endsWith("/node_modules/.bin")) return around;
  if (basename(folder) !== "bin" || MIXED.some((name) => join(home, name) === around)) return folder;
  const names = entriesIn(around).map(({ name }) => name);
  return names.some((name) => INSTALLED.test(name)) && !names.includes(".git") ? around : folder;
}

/** No more of them are looked at. */
const MOST_LINKS = 400;

/** Programs are often links to where they were installed. */
function linkTargets(folder: string): readonly string[] {
  const links = entriesIn(folder).filter((entry) => entry.isSymbolicLink());
  return presentPaths(links.slice(0, MOST_LINKS).map(({ name }) => join(folder, name)));
}

function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
}

function ownCaches(
  { home, privateHome }: Pick<ToolchainOptions, "home" | "privateHome">,
  shown: readonly Mount[],
): readonly Mount[] {
  const isInside = (path: string): boolean => shown.some((each) => isWithin(each.path, path));
  return CACHES_IN_TOOLCHAINS.flatMap((name) => {
    const path = join(home, name);
    const isPresent = isInside(path) && presentPath(path) === path;
    return isPresent ? [{ path, as: "writable", source: join(privateHome, name) } as const] : [];
  });
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not a folder, or not ours to look into.
    return [];
  }
}

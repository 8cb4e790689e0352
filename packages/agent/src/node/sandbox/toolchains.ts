/** Finds programs in hidden folders that commands need: folders of `PATH` with their installations, and folders of version managers. */

import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../text.ts";
import { findCertificates } from "./certificates.ts";
import type { Mount } from "./mounts.ts";
import { readFolderEntries, readFolderNames, resolveExistingPath, resolveExistingPaths } from "./options.ts";

/** Relative to the home. They contain programs and libraries, but no logins and no work of the user. */
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

/** Variables that name such a folder. */
const TOOLCHAIN_VARIABLES: readonly string[] = [
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
];

/** Caches inside toolchains; commands get private ones. */
const CACHES_IN_TOOLCHAINS: readonly string[] = [".bun/install/cache", ".local/share/pnpm/store"];

/** Folders with a `bin` that contain much besides programs. */
const MIXED_FOLDERS: readonly string[] = [
  "",
  ".local",
  ".cargo",
  ".config",
  ".deno",
  ".foundry",
  ".krew",
  ".pub-cache",
  "go",
];
/** Names beside the `bin` of an installation. */
const INSTALLATION_FOLDER = /^(?:lib|lib64|libexec|share|include|gems|site-packages)$/;

export interface ToolchainOptions {
  /** A real path. */
  readonly home: string;
  /** Real paths of folders that commands do not see, including the home. */
  readonly hidden: readonly string[];
  readonly privateHome: string;
  /** The workspace. */
  readonly root?: string;
  /** Other projects, in which the program does not work. */
  readonly otherProjects?: readonly string[];
  /** Other folders in which commands may write. */
  readonly writable?: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Read-only mounts of programs and certificates; none contains a hidden folder. */
export function findToolchains(options: ToolchainOptions): readonly Mount[] {
  const { home, hidden, privateHome, environment, root, otherProjects = [], writable = [] } = options;
  // A command could have left links in them, and must not choose what the next session shows.
  const changeable = [...(root === undefined ? [] : [root]), ...otherProjects, ...writable];
  const workspaces = [...changeable, ...resolveExistingPaths(changeable)];
  const resolveOutside = (paths: readonly string[]): readonly string[] =>
    paths.flatMap((path) => {
      const real = resolveExistingPath(path);
      const isChangeable = [path, real ?? path].some((each) => workspaces.some((folder) => isWithin(folder, each)));
      return real === null || isChangeable ? [] : [real];
    });
  const isHidden = (path: string): boolean =>
    hidden.some((each) => isWithin(each, path)) && !hidden.some((each) => isWithin(path, each));
  const searchPath = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const ownFolder = resolveExistingPaths([dirname(process.execPath)]);
  const pathFolders = [...new Set([...resolveOutside(searchPath), ...ownFolder])];
  const folders = pathFolders.filter(isHidden);
  const linked = pathFolders.flatMap(readLinkTargets).filter(isHidden);
  const findVisibleInstallation = (folder: string): string => {
    const installation = findInstallation(folder, home);
    return isHidden(installation) ? installation : folder;
  };
  const found = [
    ...resolveExistingPaths(TOOLCHAINS.map((name) => join(home, name))),
    ...resolveOutside(TOOLCHAIN_VARIABLES.map((name) => environment[name] ?? "")),
    ...folders.map(findVisibleInstallation),
    ...linked.map((path) => (basename(dirname(path)) === "bin" ? findVisibleInstallation(dirname(path)) : path)),
  ].filter(isHidden);
  const mounts = keepOutermost([...new Set(found)]).map((path): Mount => ({ path, access: "readable" }));
  const certificates = findCertificates({ home, hidden, environment, workspaces });
  return [...mounts, ...privateCacheMounts({ home, privateHome }, mounts), ...certificates];
}

/** For `X/bin` returns X if it looks like an installation, for `X/shims` and `X/node_modules/.bin` their parent; else the folder itself. */
function findInstallation(folder: string, home: string): string {
  const parent = dirname(folder);
  if (basename(folder) === "shims" || folder.endsWith("/node_modules/.bin")) return parent;
  if (basename(folder) !== "bin" || MIXED_FOLDERS.some((name) => join(home, name) === parent)) return folder;
  const names = readFolderNames(parent);
  return names.some((name) => INSTALLATION_FOLDER.test(name)) && !names.includes(".git") ? parent : folder;
}

const MAX_LINKS = 400;

/** Programs are often links into their installation. */
function readLinkTargets(folder: string): readonly string[] {
  const links = readFolderEntries(folder).filter((entry) => entry.isSymbolicLink());
  return resolveExistingPaths(links.slice(0, MAX_LINKS).map(({ name }) => join(folder, name)));
}

function keepOutermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
}

function privateCacheMounts(
  { home, privateHome }: Pick<ToolchainOptions, "home" | "privateHome">,
  mounts: readonly Mount[],
): readonly Mount[] {
  const isInside = (path: string): boolean => mounts.some((each) => isWithin(each.path, path));
  return CACHES_IN_TOOLCHAINS.flatMap((name) => {
    const path = join(home, name);
    const isPresent = isInside(path) && resolveExistingPath(path) === path;
    return isPresent ? [{ path, access: "writable", source: join(privateHome, name) } as const] : [];
  });
}

/** Classifies paths: private, secret, protected, inside or outside the workspace. Comparison ignores case, as some file systems do. */

import { isWithin } from "../text.ts";
import type { PermissionPaths, ResolvedPath } from "./request.ts";

/**
 * Folders of editors and agents. Other programs run or trust their content as soon as they exist. The file tools and the sandbox
 * share this list. Commands cannot change those in the workspace; what they make there is caught.
 */
export const GUARDED_FOLDERS: readonly string[] = [
  ...[".agents", ".claude", ".codex", ".cursor", ".gemini", ".idea", ".opencode", ".pi", ".pith", ".vscode", ".zed"],
];

/** Files that other programs run or trust in any working directory. */
export const GUARDED_FILES: readonly string[] = [".envrc", ".exrc", ".mcp.json", ".vimrc"];

/**
 * Folders with definitions that containers and other machines run. Branches differ in them, so commands may change what exists there; new
 * entries are caught.
 */
export const OPEN_FOLDERS: readonly string[] = [".devcontainer", ".github/workflows"];

/** Files that Mercurial runs or trusts in a repository. */
export const MERCURIAL_NAMES: readonly string[] = [".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath"];

/** Startup files of shells and git. They take effect in a home folder or where a home folder is created from. */
export const STARTUP_NAMES: readonly string[] = [
  ...[".gitconfig", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish"],
];

/** Common folders for git hooks. The sandbox reads git's settings instead. */
const HOOK_FOLDERS: readonly string[] = [".githooks", ".husky"];

/** All guarded names, in any folder. The sandbox is more precise within `.git`, because commands must write there. */
const GUARDED_NAMES: readonly string[] = [
  ".git",
  ...HOOK_FOLDERS,
  ...GUARDED_FOLDERS,
  ...GUARDED_FILES,
  ...OPEN_FOLDERS,
  ...MERCURIAL_NAMES,
  ...STARTUP_NAMES,
];

export type ReadKind = "read" | "read-outside" | "read-secret" | "read-private" | "unknown";
export type ChangeKind = "change-inside" | "change-protected" | "change-outside" | "change-settings" | "unknown";

export function classifyRead(resolved: ResolvedPath, paths: PermissionPaths): ReadKind {
  const { realPath } = resolved;
  const { root, readableFolders, temporaryFolders, isConfined } = paths;
  const spellings = pathSpellings(resolved);
  const isIn = (folders: readonly string[]): boolean =>
    realPath !== null && folders.some((folder) => isWithin(folder, realPath));
  if (spellings.some((path) => PROCESS_SECRETS.test(path) || isPrivate(path, paths))) return "read-private";
  const mayRead = isIn([root, ...(readableFolders ?? []), ...temporaryFolders]);
  if (isConfined && !mayRead) return "read-outside";
  if (realPath === null) return "unknown";
  if (spellings.some((path) => isSecret(path, paths))) return "read-secret";
  if (isIn([root])) return "read";
  if (spellings.some(isSecretOutsideWorkspace)) return "read-secret";
  return readableFolders === undefined || mayRead ? "read" : "read-outside";
}

export function classifyChange(resolved: ResolvedPath, paths: PermissionPaths): ChangeKind {
  const { realPath } = resolved;
  const isSetting = (path: string): boolean => paths.permissionFiles.some((file) => isWithin(file, path));
  if (pathSpellings(resolved).some((path) => isSetting(path) || isPrivate(path, paths))) return "change-settings";
  if (realPath === null) return paths.isConfined ? "change-outside" : "unknown";
  const baseFolder = [paths.root, ...paths.temporaryFolders].find((folder) => isWithin(folder, realPath));
  if (baseFolder === undefined) return "change-outside";
  return isProtected(realPath.slice(baseFolder.length)) ? "change-protected" : "change-inside";
}

function pathSpellings({ path, realPath }: ResolvedPath): readonly string[] {
  return realPath === null || realPath === path ? [path] : [path, realPath];
}

/** Also covers what programs create beside a private file: `search.db-wal`, `session.jsonl.damaged`. */
function isPrivate(path: string, { privatePaths }: PermissionPaths): boolean {
  const lower = path.toLowerCase();
  return privatePaths.some((privatePath) => {
    const start = privatePath.toLowerCase();
    return lower.startsWith(start) && (lower.length === start.length || "/.-~".includes(lower.charAt(start.length)));
  });
}

function isSecret(path: string, { permissionFiles }: PermissionPaths): boolean {
  const lower = path.toLowerCase();
  return permissionFiles.includes(path) || SECRET.test(lower) || SYSTEM_SECRET.test(lower);
}

function isSecretOutsideWorkspace(path: string): boolean {
  const lower = path.toLowerCase();
  return /\/\.env[^/]*$/.test(lower) || SECRET_OUTSIDE_WORKSPACE.test(lower) || SECRET_FOLDER.test(lower);
}

/** `relativePath` is the path below the workspace or temporary folder. */
function isProtected(relativePath: string): boolean {
  return PROTECTED.test(`/${relativePath.toLowerCase()}`);
}

/** Matches a path that contains one of these. It is a single expression because a search tests every file. */
function pathContaining(...paths: readonly string[]): RegExp {
  return new RegExp(`/(?:${paths.join("|").replaceAll(".", "\\.")})(?:/|$)`);
}

/** Secret in any folder, including the workspace. */
const secretPaths: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".config/op", ".docker/config.json"],
  ...[".password-store", ".local/share/keyrings", ".vault-token", ".git-credentials", ".config/git/credentials"],
  ...[".claude/.credentials.json", ".codex/auth.json", ".pi/agent/auth.json", ".local/share/opencode/auth.json"],
  ...[".mozilla", ".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge"],
  ...["library/keychains", "library/cookies", "library/safari", "library/application support/google/chrome"],
  ...["library/application support/firefox", "library/application support/bravesoftware"],
];

const SECRET = pathContaining(...secretPaths);
const PROTECTED = pathContaining(...secretPaths, ...GUARDED_NAMES);

/** Secret outside the workspace. In the workspace they belong to the project and are seldom secret. */
const SECRET_OUTSIDE_WORKSPACE = pathContaining(
  ...[".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".yarnrc.yml"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json"],
);

/** Folders that contain secret files: searching one would search those. */
const SECRET_FOLDER = /\/(?:\.config|library\/application support)$/;

const SYSTEM_SECRET = /^\/(?:etc\/(?:g?shadow-?|sudoers|sudoers\.d|ssl\/private)(?:\/|$))/;

/** The environment, memory and open files of processes, which include this program's keys. */
const PROCESS_SECRETS = /^\/proc\/(?:.*\/)?(?:environ|mem|(?:fd|map_files)\/.*)$/;

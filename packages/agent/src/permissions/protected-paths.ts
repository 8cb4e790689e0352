/** Classifies paths: secret, protected, own, inside or outside the workspace. Names are lower-cased, because some disks ignore case. */

import { isWithin } from "../text.ts";
import type { PermissionPaths, ResolvedPath } from "./request.ts";

/**
 * Other programs run or trust these as soon as they exist; the file tools and the sandbox share this one list. Folders of editors and
 * agents. In the folder one works in they are kept also where they are absent.
 */
export const GUARDED_FOLDERS: readonly string[] = [
  ...[".agents", ".claude", ".codex", ".cursor", ".gemini", ".idea", ".opencode", ".pi", ".pith", ".vscode", ".zed"],
];

/** Files of the same kind, which are taken up wherever somebody works. */
export const GUARDED_FILES: readonly string[] = [".envrc", ".exrc", ".mcp.json", ".vimrc"];

/** What Mercurial runs or believes in a repository. */
export const MERCURIAL_NAMES: readonly string[] = [".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath"];

/** What shells and git begin with: of consequence in a home, and where a home is made from. */
export const STARTUP_NAMES: readonly string[] = [
  ...[".gitconfig", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish"],
];

/** Where git's hooks lie by custom. The sandbox asks the settings of git instead. */
const HOOK_FOLDERS: readonly string[] = [".githooks", ".husky"];

/** All of them, wherever they lie. A repository has to be written by commands, so there the sandbox is more exact. */
export const GUARDED_NAMES: readonly string[] = [
  ".git",
  ...HOOK_FOLDERS,
  ...GUARDED_FOLDERS,
  ...GUARDED_FILES,
  ...MERCURIAL_NAMES,
  ...STARTUP_NAMES,
];

export type ReadKind = "look" | "look-secret" | "look-keys" | "unknown";
export type ChangeKind = "change-inside" | "change-protected" | "change-outside" | "change-own" | "unknown";

export function classifyRead(resolved: ResolvedPath, paths: PermissionPaths): ReadKind {
  const { realPath } = resolved;
  const spellings = pathSpellings(resolved);
  if (spellings.some((path) => PROCESS_SECRETS.test(path) || paths.keyFiles.some((key) => isWithin(key, path))))
    return "look-keys";
  if (realPath === null) return "unknown";
  if (spellings.some((path) => isSecret(path, paths))) return "look-secret";
  return !isWithin(paths.root, realPath) && spellings.some(isSecretOutsideWorkspace) ? "look-secret" : "look";
}

export function classifyChange(resolved: ResolvedPath, paths: PermissionPaths): ChangeKind {
  const { realPath } = resolved;
  if (
    pathSpellings(resolved).some((path) =>
      [...paths.permissionFiles, ...paths.keyFiles].some((file) => isWithin(file, path)),
    )
  )
    return "change-own";
  if (realPath === null) return "unknown";
  const baseFolder = [paths.root, ...paths.temporaryFolders].find((folder) => isWithin(folder, realPath));
  if (baseFolder === undefined) return "change-outside";
  return isProtected(realPath.slice(baseFolder.length)) ? "change-protected" : "change-inside";
}

function pathSpellings({ path, realPath }: ResolvedPath): readonly string[] {
  return realPath === null || realPath === path ? [path] : [path, realPath];
}

function isSecret(path: string, { keyFiles }: PermissionPaths): boolean {
  const lower = path.toLowerCase();
  const isKeyFolder = keyFiles.some((keyFile) => path === keyFile.slice(0, keyFile.lastIndexOf("/")));
  return isKeyFolder || SECRET.test(lower) || SYSTEM_SECRET.test(lower);
}

function isSecretOutsideWorkspace(path: string): boolean {
  const lower = path.toLowerCase();
  return /\/\.env[^/]*$/.test(lower) || SECRET_OUTSIDE_WORKSPACE.test(lower) || SECRET_FOLDER.test(lower);
}

/** By the names below the folder it lies in. */
function isProtected(relativePath: string): boolean {
  return PROTECTED.test(`/${relativePath.toLowerCase()}`);
}

/** Fits a path that has one of these somewhere in it: one expression, because a search asks it of every file. */
function pathContaining(...paths: readonly string[]): RegExp {
  return new RegExp(`/(?:${paths.join("|").replaceAll(".", "\\.")})(?:/|$)`);
}

/** Wherever they lie, in a workspace too. */
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

/** In a workspace they belong to the project, and are seldom secret. */
const SECRET_OUTSIDE_WORKSPACE = pathContaining(
  ...[".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".yarnrc.yml"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json"],
);

/** To search one is to search what is in it. */
const SECRET_FOLDER = /\/(?:\.config|library\/application support)$/;

const SYSTEM_SECRET = /^\/(?:etc\/(?:g?shadow-?|sudoers|sudoers\.d|ssl\/private)(?:\/|$))/;

/** The environment, the memory and the open files of programs: the keys of this one are there too. */
const PROCESS_SECRETS = /^\/proc\/(?:.*\/)?(?:environ|mem|(?:fd|map_files)\/.*)$/;

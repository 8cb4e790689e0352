/** Classifies paths: secret, protected, own, inside or outside the workspace. Names are lower-cased, because some disks ignore case. */

import { isWithin } from "../text.ts";
import type { Ground, Reached } from "./request.ts";

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

export type LookedAt = "look" | "look-secret" | "look-keys" | "unknown";
export type Changed = "change-inside" | "change-protected" | "change-outside" | "change-own" | "unknown";

export function lookedAt(reached: Reached, ground: Ground): LookedAt {
  const { real } = reached;
  const paths = namesOf(reached);
  if (paths.some((path) => PROCESS_KEYS.test(path) || ground.keys.some((key) => isWithin(key, path))))
    return "look-keys";
  if (real === null) return "unknown";
  if (paths.some((path) => isSecret(path, ground))) return "look-secret";
  return !isWithin(ground.root, real) && paths.some(isSecretOutside) ? "look-secret" : "look";
}

export function changed(reached: Reached, ground: Ground): Changed {
  const { real } = reached;
  if (namesOf(reached).some((path) => [...ground.own, ...ground.keys].some((own) => isWithin(own, path))))
    return "change-own";
  if (real === null) return "unknown";
  const place = [ground.root, ...ground.temporary].find((folder) => isWithin(folder, real));
  if (place === undefined) return "change-outside";
  return isProtected(real.slice(place.length)) ? "change-protected" : "change-inside";
}

function namesOf({ named, real }: Reached): readonly string[] {
  return real === null || real === named ? [named] : [named, real];
}

function isSecret(path: string, { keys }: Ground): boolean {
  const lower = path.toLowerCase();
  const isFolderOfKeys = keys.some((key) => path === key.slice(0, key.lastIndexOf("/")));
  return isFolderOfKeys || SECRET.test(lower) || SYSTEM_SECRET.test(lower);
}

function isSecretOutside(path: string): boolean {
  const lower = path.toLowerCase();
  return /\/\.env[^/]*$/.test(lower) || SECRET_OUTSIDE.test(lower) || SECRET_FOLDER.test(lower);
}

/** By the names below the folder it lies in. */
function isProtected(below: string): boolean {
  return PROTECTED.test(`/${below.toLowerCase()}`);
}

/** Fits a path that has one of these somewhere in it: one expression, because a search asks it of every file. */
function passing(...trails: readonly string[]): RegExp {
  return new RegExp(`/(?:${trails.join("|").replaceAll(".", "\\.")})(?:/|$)`);
}

/** Wherever they lie, in a workspace too. */
const secretTrails: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".config/op", ".docker/config.json"],
  ...[".password-store", ".local/share/keyrings", ".vault-token", ".git-credentials", ".config/git/credentials"],
  ...[".claude/.credentials.json", ".codex/auth.json", ".pi/agent/auth.json", ".local/share/opencode/auth.json"],
  ...[".mozilla", ".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge"],
  ...["library/keychains", "library/cookies", "library/safari", "library/application support/google/chrome"],
  ...["library/application support/firefox", "library/application support/bravesoftware"],
];

const SECRET = passing(...secretTrails);
const PROTECTED = passing(...secretTrails, ...GUARDED_NAMES);

/** In a workspace they belong to the project, and are seldom secret. */
const SECRET_OUTSIDE = passing(
  ...[".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".yarnrc.yml"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json"],
);

/** To search one is to search what is in it. */
const SECRET_FOLDER = /\/(?:\.config|library\/application support)$/;

const SYSTEM_SECRET = /^\/(?:etc\/(?:g?shadow-?|sudoers|sudoers\.d|ssl\/private)(?:\/|$))/;

/** The environment, the memory and the open files of programs: the keys of this one are there too. */
const PROCESS_KEYS = /^\/proc\/(?:.*\/)?(?:environ|mem|(?:fd|map_files)\/.*)$/;

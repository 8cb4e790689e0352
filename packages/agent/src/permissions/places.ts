/** What kind of place a path leads to. Names of places are compared without their capitals: some disks make no difference either. */

import { isWithin } from "./paths.ts";
import type { Ground, Reached } from "./sight.ts";

export type LookedAt = "look" | "look-secret" | "look-keys" | "unknown";
export type Changed = "change-inside" | "change-protected" | "change-outside" | "change-own" | "unknown";

export function lookedAt(reached: Reached, ground: Ground): LookedAt {
  const { real } = reached;
  const paths = namesOf(reached);
  if (paths.some((path) => ground.keys.some((key) => isWithin(key, path)))) return "look-keys";
  if (real === null) return "unknown";
  if (paths.some((path) => isSecret(path, ground))) return "look-secret";
  return !isWithin(ground.root, real) && paths.some(isSecretOutside) ? "look-secret" : "look";
}

export function changed(reached: Reached, ground: Ground): Changed {
  const { real } = reached;
  if (namesOf(reached).some((path) => [...ground.own, ...ground.keys].some((own) => isWithin(own, path))))
    return "change-own";
  if (real === null) return "unknown";
  if (isWithin(ground.root, real)) return isProtected(real, ground) ? "change-protected" : "change-inside";
  return ground.temporary.some((folder) => isWithin(folder, real)) ? "change-inside" : "change-outside";
}

function namesOf({ named, real }: Reached): readonly string[] {
  return real === null || real === named ? [named] : [named, real];
}

function isSecret(path: string, { keys }: Ground): boolean {
  const lower = path.toLowerCase();
  const isFolderOfKeys = keys.some((key) => path === key.slice(0, key.lastIndexOf("/")));
  return isFolderOfKeys || hasTrail(lower, secretTrails) || SYSTEM_SECRET.test(lower);
}

function isSecretOutside(path: string): boolean {
  const lower = path.toLowerCase();
  return /\/\.env[^/]*$/.test(lower) || hasTrail(lower, outsideSecrets) || SECRET_FOLDER.test(lower);
}

function isProtected(path: string, { root }: Ground): boolean {
  const below = path.slice(root.length).toLowerCase();
  return hasTrail(below.startsWith("/") ? below : `/${below}`, [...protectedTrails, ...secretTrails]);
}

function hasTrail(path: string, trails: readonly string[]): boolean {
  return trails.some((trail) => `${path}/`.includes(`/${trail}/`));
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

/** In a workspace they belong to the project, and are seldom secret. */
const outsideSecrets: readonly string[] = [
  ...[".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".yarnrc.yml"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json"],
];

/** To search one is to search what is in it. */
const SECRET_FOLDER = /\/(?:\.config|library\/application support)$/;

const SYSTEM_SECRET = /^\/(?:etc\/(?:g?shadow-?|sudoers|sudoers\.d|ssl\/private)(?:\/|$)|proc\/[^/]+\/environ$)/;

/** What is written there is run, or believed, by other programs. */
const protectedTrails: readonly string[] = [
  ...[".git", ".pith", ".vscode", ".idea", ".claude", ".codex", ".cursor", ".mcp.json", ".gitconfig", ".envrc"],
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish"],
];

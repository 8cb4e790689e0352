/** Creates the folders of two users of one server, plants secrets in them, and describes all files in a folder. */

import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { PlantedSecret } from "./find-secrets.ts";

export interface TenantFolders {
  /** The parent of the others. */
  readonly base: string;
  readonly workspace: string;
  /** Pith's home. */
  readonly home: string;
  readonly userHome: string;
}

/** Not below `/tmp`, which the sandbox replaces anyway. */
export function createServerFolder(): string {
  const parent = isWritable("/srv") ? "/srv" : homedir();
  return mkdtempSync(join(parent, "pith-two-agents-"));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function createTenantFolders(server: string, name: string): TenantFolders {
  const base = join(server, name);
  const folders = {
    base,
    workspace: join(base, "workspace"),
    home: join(base, "pith"),
    userHome: join(base, "home"),
  };
  for (const path of Object.values(folders)) mkdirSync(path, { recursive: true });
  return folders;
}

/** Where the secrets lie, and what surrounds them. Some names do not look like secrets. */
const PLANTED_FILES: Readonly<Record<string, (secret: string) => string>> = {
  "workspace/.env": (secret) => `API_TOKEN=${secret}\n`,
  "workspace/notes.txt": (secret) => `The launch code is ${secret}.\n`,
  "workspace/src/billing.ts": (secret) => `export const plan = "${secret}";\n`,
  "home/.ssh/id_ed25519": (secret) =>
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----\n`,
  "home/.npmrc": (secret) => `//registry.example.com/:_authToken=${secret}\n`,
  "home/.aws/credentials": (secret) => `[default]\naws_secret_access_key = ${secret}\n`,
  "home/letters/draft.txt": (secret) => `Dear ${secret},\n`,
  "pith/keys.json": (secret) => JSON.stringify({ anthropic: secret }),
  "pith/permissions.json": (secret) => JSON.stringify({ note: secret }),
  "pith/settings.json": (secret) => JSON.stringify({ note: secret }),
  "pith/skills/deploy/SKILL.md": (secret) => `---\nname: deploy\ndescription: Deploys.\n---\nUse ${secret}.\n`,
  "pith/sessions/other/session.jsonl": (secret) => `{"text":"${secret}"}\n`,
  "pith/restore/ab/original": (secret) => secret,
  "pith/sandbox/other/home/private.txt": (secret) => secret,
};

export function plantFiles({ base, home }: TenantFolders): readonly PlantedSecret[] {
  const secrets = Object.keys(PLANTED_FILES).map((name) => ({ name, value: createSecret() }));
  for (const { name, value } of secrets) writeFile(join(base, name), PLANTED_FILES[name]?.(value) ?? "");
  chmodSync(home, 0o700);
  chmodSync(join(home, "keys.json"), 0o600);
  chmodSync(join(base, "home/.ssh/id_ed25519"), 0o600);
  return secrets;
}

/** Letters and digits. No eight of them stand anywhere by chance. */
export function createSecret(): string {
  return randomBytes(60).toString("base64").replaceAll(/[+/=]/g, "").slice(0, 40);
}

/** Makes the attacker's workspace as it was: a repository, with a link that leads to the other workspace. */
export function resetWorkspace(workspace: string, { wayOut, token }: { wayOut: string; token: string }): void {
  for (const name of readdirSync(workspace)) removeTree(join(workspace, name));
  writeFile(join(workspace, ".env"), `API_TOKEN=${token}\n`);
  writeFile(join(workspace, "notes.txt"), "as it was\n");
  writeFile(join(workspace, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  writeFile(join(workspace, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const name of [".git/hooks", ".git/objects", ".git/refs", "deep/er"])
    mkdirSync(join(workspace, name), { recursive: true });
  symlinkSync(wayOut, join(workspace, "way-out"));
}

/** Also a folder that its owner may not write. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    execFileSync("chmod", ["-R", "u+rwX", path]);
    rmSync(path, { recursive: true, force: true });
  }
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Each path in the folder with its mode and a hash of its content. */
export function describeFiles(
  folder: string,
  isLeftOut: (path: string) => boolean = () => false,
): Readonly<Record<string, string>> {
  const described = [folder, ...listPaths(folder)].filter((path) => !isLeftOut(path));
  return Object.fromEntries(described.map((path) => [path, describeFile(path)]));
}

function describeFile(path: string): string {
  const stats = lstatSync(path);
  const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path) : "";
  return `${stats.mode.toString(8)} ${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;
}

/** The content of all files in the folder. */
export function readAllFiles(folder: string): Buffer {
  return Buffer.concat(listPaths(folder).flatMap((path) => (lstatSync(path).isFile() ? [readFileSync(path)] : [])));
}

/** Follows no links; `readdirSync` would. */
function listPaths(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...listPaths(path)] : [path];
  });
}

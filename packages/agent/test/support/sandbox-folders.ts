/** Creates a workspace, a home with secrets and caches, private folders and an outside that must not change, and runs commands in the sandbox there. */

import {
  type Dirent,
  existsSync,
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
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { detectSandbox } from "../../src/node/sandbox/detect.ts";
import type { SandboxOptions } from "../../src/node/sandbox/options.ts";
import { sandboxedShell } from "../../src/node/sandbox/shell.ts";
import {
  type HostDecision,
  SandboxNetwork,
  type SandboxNetworkOptions,
} from "../../src/node/sandbox-network/network.ts";
import type { ShellOptions, ShellResult } from "../../src/ports.ts";

export const SECRET = "sk-never-to-be-seen";

const here = await detectSandbox({ environment: process.env, root: "/nowhere", home: homedir() });
if (here.type === "unavailable") throw new Error(here.why);
export const { program } = here;

export interface SandboxFolders {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly outside: string;
  /** What commands see as `/tmp`. */
  readonly temporary: string;
  /** What commands see in place of the home. */
  readonly privateHome: string;
  readonly keys: string;
}

/** Secrets in the home, and files that other programs run. */
export const HOME_FILES: Readonly<Record<string, string>> = {
  ".ssh/id_ed25519": SECRET,
  ".aws/credentials": `[default]\naws_secret_access_key = ${SECRET}\n`,
  ".config/gh/hosts.yml": `github.com:\n  oauth_token: ${SECRET}\n`,
  ".netrc": `machine example.com login me password ${SECRET}\n`,
  ".npmrc": `registry=https://registry.example.com/\n//registry.example.com/:_authToken=${SECRET}\n`,
  ".gnupg/private-keys-v1.d/key": SECRET,
  ".mozilla/firefox/cookies.sqlite": SECRET,
  ".bash_history": `curl -H "Authorization: ${SECRET}"\n`,
  "notes.txt": SECRET,
  ".bashrc": "# as it was\n",
  ".npm/_npx/1/bin": "as it was\n",
  ".cargo/registry/src/a.rs": "as it was\n",
  "go/pkg/mod/a.go": "as it was\n",
};

/** The workspace is a git repository, with a link in it that leads out. */
export function createSandboxFolders({ workspaceIn = "" } = {}): SandboxFolders {
  const base = mkdtempSync(join(tmpdir(), "pith-world-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const at = (...names: readonly string[]): string => join(base, ...names);
  const place = {
    base,
    workspace: at(workspaceIn, "workspace"),
    home: at("home"),
    outside: at("outside"),
    temporary: at("temporary"),
    privateHome: at("private-home"),
    keys: at("home/.pith/keys.json"),
  };
  write(place.keys, SECRET);
  for (const [name, text] of Object.entries(HOME_FILES)) write(at("home", name), text);
  write(at("outside/file"), "as it was\n");
  write(join(place.workspace, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  write(join(place.workspace, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const name of [".git/hooks", ".git/objects", ".git/refs"]) mkdirSync(join(place.workspace, name));
  mkdirSync(place.temporary, { recursive: true });
  mkdirSync(place.privateHome);
  symlinkSync(place.outside, join(place.workspace, "way-out"));
  return place;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A network in which everything public may be reached, and these hosts of the test, all of them at 127.0.0.1. */
export async function openNetwork(parts: Partial<SandboxNetworkOptions> = {}): Promise<SandboxNetwork> {
  const permitHost = async (): Promise<HostDecision> => ({ type: "allowed" });
  const resolve = async (): Promise<readonly string[]> => ["127.0.0.1"];
  return await SandboxNetwork.open({ program, environment: {}, permitHost, resolve, ...parts });
}

export interface Ran {
  readonly end: ShellResult;
  readonly text: string;
}

export function sandboxOptions(folders: SandboxFolders, parts: Partial<SandboxOptions> = {}): SandboxOptions {
  const { workspace, home, privateHome, outside, temporary, keys } = folders;
  const { environment, ...rest } = parts;
  return {
    program,
    root: workspace,
    home,
    privateHome,
    temporary,
    journal: join(folders.base, "journal"),
    caught: { folder: join(folders.base, "caught"), record: join(folders.base, "absent") },
    readable: [outside],
    network: null,
    mayWrite: () => true,
    hidden: [keys],
    guarded: [dirname(keys)],
    withheld: ["MODEL_KEY"],
    environment: {
      PATH: process.env.PATH,
      NODE: process.execPath,
      HOME: home,
      OUTSIDE: outside,
      KEYS: keys,
      MODEL_KEY: SECRET,
      ...environment,
    },
    ...rest,
  };
}

export async function ranIn(options: SandboxOptions, command: string, act: Partial<ShellOptions> = {}): Promise<Ran> {
  let text = "";
  const output = (chunk: Uint8Array): void => {
    text += Buffer.from(chunk).toString();
  };
  const end = await sandboxedShell(options).run(command, {
    signal: new AbortController().signal,
    onOutput: output,
    ...act,
  });
  return { end, text };
}

/** Polls until a condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** All paths in a folder, at any depth. */
export function namesAt(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).toSorted();
}

/** Everything that must not change: each path with its mode and content. */
export function untouchable({ base, workspace, home, outside }: SandboxFolders): Readonly<Record<string, string>> {
  const guarded = [
    ".git/config",
    ".git/commondir",
    ".git/config.worktree",
    ".git/hooks",
    ".pith",
    ".vscode",
    ".idea",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".opencode",
    ".pi",
    ".zed",
    ".mcp.json",
    ".envrc",
    ".exrc",
  ];
  const paths = [outside, ...guarded.map((name) => join(workspace, name)), ...inside(home)];
  const all = paths.flatMap((path) => (existsSync(path) ? [path, ...inside(path)] : []));
  return Object.fromEntries([...all, "/etc/pith-was-here"].map((path) => [path.replace(base, ""), lookOf(path)]));
}

function inside(folder: string): readonly string[] {
  if (!lstatSync(folder).isDirectory()) return [];
  const entries: Dirent[] = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

function lookOf(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return "absent";
  const content = entry.isSymbolicLink() ? readlinkSync(path) : entry.isFile() ? readFileSync(path, "utf8") : "";
  return `${entry.mode.toString(8)} ${content}`;
}

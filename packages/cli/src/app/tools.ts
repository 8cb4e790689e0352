/** Creates the workspace and its tools: files, a shell that is sandboxed where the machine can do it, search and the web. */

import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import {
  allowsProviderSearch,
  type BashTool,
  type BlobStore,
  bashTool,
  type CheckRestorePermission,
  createMemoryBlobs,
  fetchTool,
  fileTools,
  findSeenFiles,
  type Permissions,
  ReadTracker,
  type RewindOptions,
  type Rule,
  redactBlobs,
  redactSearch,
  redactShell,
  restoreFilePaths,
  searchTools,
  type Tool,
  type WorkspaceFiles,
  type WorkspaceShell,
} from "@pith/agent";
import {
  nodeFiles,
  nodeSearch,
  nodeShell,
  nodeWeb,
  originalsFolder,
  type RuntimeShell,
  runtimeShell,
  type SandboxNetwork,
  sandboxedShell,
  sessionBlobs,
} from "@pith/agent/node";
import type { Model, Session, Tool as ToolSchema } from "@pith/context";
import { sessionIdToFileName } from "@pith/context/node";
import { supportsWebSearch, webSearch } from "@pith/models";
import { networkSetting } from "../sandbox/network-permissions.ts";
import { type BoxPlace, boxOf, closeSandbox, type OpenSandbox, shownFolders } from "../sandbox/sandbox.ts";
import { lazyNetwork, type NetworkPlace, networkNotes } from "../sandbox/sandbox-network.ts";
import { allTools, usualTools } from "../settings/definitions.ts";
import { keyVariables } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";
import type { Place } from "./app-options.ts";
import { secretSource } from "./secret-source.ts";

export interface BashPlace extends BoxPlace, NetworkPlace, Pick<Place, "vault"> {
  /** What can hold commands here. */
  readonly sandbox: Promise<OpenSandbox>;
}

export interface BashHere {
  readonly bash: BashTool;
  readonly notes: readonly string[];
  /** Ends all that runs by itself, and the network of the sandbox. */
  readonly close: () => Promise<void>;
}

export async function bashHere(place: BashPlace, blobs: BlobStore): Promise<BashHere> {
  const { cwd: root, environment, choices, mayWrite, denied, vault } = place;
  const heard = (shell: WorkspaceShell): WorkspaceShell => (vault ? redactShell(shell, vault) : shell);
  const secrets = secretSource({
    ...{ vault: vault ?? null, environment, home: homedir(), writable: [root, tmpdir()], withheld: keyVariables() },
  });
  const kept = { blobs, redaction: vault ?? undefined, secrets };
  const unconfined = heard(nodeShell({ root, environment, withheld: keyVariables() }));
  const here = await place.sandbox;
  if (here.type === "unavailable") {
    const notes = [...notesOn(here, choices), ...unheldNotes([...denied.enforcedRules, ...denied.unenforcedRules])];
    const bash = bashTool(unconfined, kept);
    return { bash, notes, close: () => bash.dispose() };
  }
  const network = lazyNetwork(here, place);
  const held = await shellsIn(here, place);
  const sandbox = {
    ...{ unconfined, mayWrite, network: network ? networkSetting(choices) : ("off" as const) },
    ...{ temporary: held.temporary, hasLocalhost: here.type === "available" },
    ...(network?.ports && { ports: network.ports }),
  };
  const bash = bashTool(heard(network ? network.shell(held.create) : held.create(null)), { ...kept, sandbox });
  return {
    bash,
    notes: [...networkNotes(here, choices), ...unheldNotes(denied.unenforcedRules)],
    close: async () => {
      await bash.dispose();
      await held.close();
      await network?.close();
    },
  };
}

interface HeldShells {
  create(network: SandboxNetwork | null): WorkspaceShell;
  /** The temporary folder, as commands name it. */
  readonly temporary: string;
  close(): Promise<void>;
}

async function shellsIn(here: Exclude<OpenSandbox, { type: "unavailable" }>, place: BashPlace): Promise<HeldShells> {
  const box = await boxOf(here.folders, place);
  if (here.type === "available") {
    const { program } = here;
    return {
      create: (network) => sandboxedShell({ ...box, program, network }),
      temporary: "/tmp",
      close: async () => {},
    };
  }
  const { runtime } = here;
  const shells: RuntimeShell[] = [];
  return {
    create: (network) => {
      const shell = runtimeShell({ ...box, runtime, network });
      shells.push(shell);
      return shell;
    },
    temporary: "$TMPDIR",
    close: async () => void (await Promise.all(shells.map((shell) => shell.close()))),
  };
}

function unheldNotes(rules: readonly Rule[]): readonly string[] {
  if (rules.length === 0) return [];
  return [`commands are not held to what is denied by ${rules.map(({ text }) => text).join(", ")}; the tools are`];
}

/** Who switched it off knows. */
function notesOn(
  { why, advice }: Extract<OpenSandbox, { type: "unavailable" }>,
  { sandbox, network }: Settings,
): readonly string[] {
  const reason = advice === undefined ? why : `${why}; ${advice}`;
  const unheld =
    sandbox === "off" ? [] : [`commands have no sandbox, so each needs --allow or --permission-mode all: ${reason}`];
  return network === "off" ? [...unheld, "--network off counts in the sandbox alone"] : unheld;
}

export function readsOf(session: Session, resolve: (path: string) => string): ReadTracker {
  const reads = new ReadTracker(findSeenFiles(session.branch.entries, resolve));
  let { leaf } = session;
  session.watch(([first]) => {
    // What is written elsewhere than behind the leaf is a move.
    if (first && first.parentId !== leaf) reads.reset(findSeenFiles(session.branch.entries, resolve));
    leaf = session.leaf;
  });
  return reads;
}

export interface WorkplaceParts extends BashPlace {
  readonly session: Session;
  readonly permitRestore: CheckRestorePermission;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** The name of the skill whose text lies there; null for every other file. */
  readonly skillAt: (path: string) => string | null;
}

export interface Workplace {
  readonly tools: readonly Tool[];
  readonly files: WorkspaceFiles;
  readonly blobs: BlobStore;
  /** Absent where nothing is kept, so that nobody will go back. */
  readonly rewind?: RewindOptions;
  readonly notes: readonly string[];
  /** Ends all that runs by itself. */
  readonly close: () => Promise<void>;
}

export async function workplace(parts: WorkplaceParts): Promise<Workplace> {
  const { cwd, home, session, sessionPath, choices, vault } = parts;
  const sandbox = await parts.sandbox;
  // The runtime mounts nothing: there, `/tmp` is that of the machine for commands as for tools.
  const temporary = sandbox.type === "available" ? sandbox.folders.temporary : undefined;
  const seen = { root: cwd, temporary, shown: shownFolders(choices) };
  const files = nodeFiles(seen);
  // As the log calls them.
  const named = vault ? restoreFilePaths(files, vault) : files;
  const redaction = vault ?? undefined;
  const whole = sessionPath === null ? createMemoryBlobs() : sessionBlobs(sessionPath);
  const blobs = vault ? redactBlobs(whole, vault) : whole;
  const kept =
    sessionPath === null
      ? {}
      : { originals: originalsFolder(join(home, "restore", sessionIdToFileName(session.store.header.id))) };
  const reads = readsOf(session, named.resolve);
  const { bash, notes, close: closeBash } = await bashHere(parts, blobs);
  const found = nodeSearch({ ...seen, ...(await ripgrep(choices.tools)) });
  const search = vault ? redactSearch(found, vault) : found;
  const tools = [
    ...fileTools({ files, blobs, entries: session.store, redaction, skillAt: parts.skillAt, ...kept }, reads),
    bash,
    ...searchTools({ files, search }),
    fetchTool(nodeWeb({ allowedHosts: choices.fetchHosts ?? [] }), { redaction }),
  ];
  const close = async (): Promise<void> => {
    await closeBash();
    await closeSandbox(sandbox);
  };
  const rewind = kept.originals && {
    rewind: { files: named, originals: kept.originals, checkPermission: parts.permitRestore },
  };
  return { tools, files, blobs, ...rewind, notes, close };
}

/** Comes with the program where its package could be installed; else the one of the machine, else a walk. */
async function ripgrep(tools: readonly string[] = []): Promise<{ readonly ripgrep?: string }> {
  if (!tools.some((name) => ["all", "grep", "find"].includes(name))) return {};
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}

/** Where nobody names any, those that every task needs, and those that extensions bring. */
export function chosenTools(
  tools: readonly Tool[],
  { names, more = [] }: { readonly names?: readonly string[] | undefined; readonly more?: readonly Tool[] | undefined },
): readonly Tool[] {
  const isMeant = ({ name }: Tool): boolean => (names ?? usualTools).includes(name);
  if (names?.includes("all")) return [...tools, ...more];
  return [...tools.filter(isMeant), ...(names ? more.filter(isMeant) : more)];
}

/** For people: the names that are neither ours nor of an extension. */
export function unbrought(names: readonly string[] = [], more: readonly Tool[]): readonly string[] {
  const known = [...allTools, "all", ...more.map(({ name }) => name)];
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.map((name) => `no extension here brings a tool ${name}; pith extensions list shows what they bring`);
}

/** Who may fetch may search as well, where the provider itself does it. */
export function providedTools(
  tools: readonly Tool[],
  { permissions, model }: { readonly permissions: Permissions; readonly model: Model },
): readonly ToolSchema[] {
  const isMeant =
    allowsProviderSearch(permissions) && tools.some(({ name }) => name === "fetch") && supportsWebSearch(model);
  return isMeant ? [webSearch] : [];
}

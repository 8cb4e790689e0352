/** Where the agent works: the files of this folder, a shell that is held where this machine can hold it, searches and the web. */

import { homedir } from "node:os";
import { join } from "node:path";
import {
  type BashTool,
  type Blobs,
  bashTool,
  type DeniedPlaces,
  fetchTool,
  fileTools,
  knownFiles,
  memoryBlobs,
  Reads,
  type RewindParts,
  type Rule,
  searchTools,
  type Tool,
} from "@pith/agent";
import {
  nodeFiles,
  nodeSearch,
  nodeShell,
  nodeWeb,
  originalsFolder,
  type SandboxHere,
  sandboxedShell,
  sessionBlobs,
} from "@pith/agent/node";
import type { Session } from "@pith/context";
import type { Environment } from "@pith/models";
import { keyVariables } from "./home/keys.ts";
import type { Settings } from "./home/settings.ts";

export interface WorkplaceParts {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
  readonly session: Session;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** What can hold commands here; null where it was switched off. */
  readonly sandbox: Promise<SandboxHere> | null;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** What rules deny, to commands too where they can be held to it. */
  readonly denied: DeniedPlaces;
}

export interface Workplace {
  readonly tools: readonly Tool[];
  readonly blobs: Blobs;
  /** Absent where nothing is kept, so that nobody will go back. */
  readonly rewind?: RewindParts;
  readonly notes: readonly string[];
  /** Ends all that runs by itself. */
  readonly close: () => Promise<void>;
}

export async function workplace(parts: WorkplaceParts): Promise<Workplace> {
  const { cwd, home, session, sessionPath, choices } = parts;
  const files = nodeFiles({ root: cwd });
  const blobs = sessionPath === null ? memoryBlobs() : sessionBlobs(sessionPath);
  const kept =
    sessionPath === null ? {} : { originals: originalsFolder(join(home, "restore", session.store.header.id)) };
  const reads = new Reads(knownFiles(session.window.entries, files.resolve));
  const entries = session.store.entry.bind(session.store);
  const { bash, notes } = await bashOf(parts, blobs);
  const search = nodeSearch({ root: cwd, ...(await ripgrep(choices.tools)) });
  const tools = [
    ...fileTools({ files, blobs, entries, ...kept }, reads),
    bash,
    ...searchTools({ files, search }),
    fetchTool(nodeWeb({ allowedHosts: choices.fetchHosts ?? [] })),
  ];
  const rewind = kept.originals && { rewind: { files, originals: kept.originals } };
  return { tools, blobs, ...rewind, notes, close: () => bash.dispose() };
}

interface Bash {
  readonly bash: BashTool;
  readonly notes: readonly string[];
}

async function bashOf(parts: WorkplaceParts, blobs: Blobs): Promise<Bash> {
  const { cwd: root, home, environment, choices, mayWrite, denied } = parts;
  const withheld = keyVariables();
  const unconfined = nodeShell({ root, environment, withheld });
  const here = (await parts.sandbox) ?? OFF;
  if (here.type === "does-not") {
    const unheld = unheldNotes([...denied.held, ...denied.unheld]);
    return { bash: bashTool(unconfined, { blobs }), notes: [...notesOn(here, choices), ...unheld] };
  }
  const network = choices.network !== "off";
  const shell = sandboxedShell({
    program: here.program,
    root,
    home: homedir(),
    environment,
    network,
    mayWrite,
    withheld,
    hidden: [home, ...denied.unseen],
    guarded: [home, ...denied.unchanged],
  });
  const bash = bashTool(shell, { blobs, sandbox: { unconfined, network, mayWrite } });
  return { bash, notes: unheldNotes(denied.unheld) };
}

function unheldNotes(rules: readonly Rule[]): readonly string[] {
  if (rules.length === 0) return [];
  return [`commands are not held to what is denied by ${rules.map(({ text }) => text).join(", ")}; the tools are`];
}

const OFF: SandboxHere = { type: "does-not", why: "it was switched off" };

/** Who switched it off knows. */
function notesOn(
  { why }: Extract<SandboxHere, { type: "does-not" }>,
  { sandbox, network }: Settings,
): readonly string[] {
  const unheld = sandbox === "off" ? [] : [`commands have no sandbox, so each needs --allow or --mode all: ${why}`];
  return network === "off" ? [...unheld, "--network off counts in the sandbox alone"] : unheld;
}

/** Comes with the program where its package could be installed; else the one of the machine, else a walk. */
async function ripgrep(tools: readonly string[] = []): Promise<{ readonly ripgrep?: string }> {
  if (!tools.some((name) => ["all", "grep", "find"].includes(name))) return {};
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}

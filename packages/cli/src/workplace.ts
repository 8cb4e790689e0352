/** Where the agent works: the files of this folder, a shell that is held where this machine can hold it, searches and the web. */

import { homedir } from "node:os";
import { join } from "node:path";
import {
  type BashTool,
  type Blobs,
  bashTool,
  fetchTool,
  fileTools,
  knownFiles,
  memoryBlobs,
  Reads,
  type RewindParts,
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
  sandboxHere,
  sessionBlobs,
} from "@pith/agent/node";
import type { Session } from "@pith/context";
import type { Environment } from "@pith/models";
import { keyVariables } from "./home/keys.ts";
import type { Settings } from "./home/settings.ts";
import { closedPlaces } from "./permitting.ts";

export interface WorkplaceParts {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
  readonly session: Session;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
}

export interface Workplace {
  readonly tools: readonly Tool[];
  readonly blobs: Blobs;
  readonly rewind: RewindParts;
  readonly notes: readonly string[];
  /** Ends all that runs by itself. */
  readonly close: () => Promise<void>;
}

export async function workplace(parts: WorkplaceParts): Promise<Workplace> {
  const { cwd, home, session, sessionPath, choices } = parts;
  const files = nodeFiles({ root: cwd });
  const blobs = sessionPath === null ? memoryBlobs() : sessionBlobs(sessionPath);
  const originals = originalsFolder(join(home, "restore", session.store.header.id));
  const reads = new Reads(knownFiles(session.window.entries, files.resolve));
  const entries = session.store.entry.bind(session.store);
  const { bash, notes } = await bashOf(parts, blobs);
  const search = nodeSearch({ root: cwd, ...(await ripgrep(choices.tools)) });
  const tools = [
    ...fileTools({ files, blobs, entries, originals }, reads),
    bash,
    ...searchTools({ files, search }),
    fetchTool(nodeWeb({ allowedHosts: choices.fetchHosts ?? [] })),
  ];
  return { tools, blobs, rewind: { files, originals }, notes, close: () => bash.dispose() };
}

interface Bash {
  readonly bash: BashTool;
  readonly notes: readonly string[];
}

async function bashOf(parts: WorkplaceParts, blobs: Blobs): Promise<Bash> {
  const { cwd: root, home, environment, choices, mayWrite } = parts;
  const unconfined = nodeShell({ root, environment });
  const here = choices.sandbox === "off" ? OFF : await sandboxHere(environment);
  if (here.type === "does-not") return { bash: bashTool(unconfined, { blobs }), notes: notesOn(here, choices) };
  const network = choices.network !== "off";
  const shell = sandboxedShell({
    program: here.program,
    root,
    home: homedir(),
    environment,
    network,
    mayWrite,
    withheld: keyVariables(),
    hidden: closedPlaces(home),
    guarded: [home],
  });
  return { bash: bashTool(shell, { blobs, sandbox: { unconfined, network, mayWrite } }), notes: [] };
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
  if (!tools.some((name) => name === "grep" || name === "find")) return {};
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}

/** The tool that runs commands: held by a sandbox where this machine can hold them, and told apart where it cannot. */

import { homedir } from "node:os";
import { join } from "node:path";
import {
  type BashTool,
  type Blobs,
  bashTool,
  type DeniedPlaces,
  type Rule,
  redactedShell,
  type WorkspaceShell,
} from "@pith/agent";
import { nodeShell, type SandboxHere, sandboxedShell } from "@pith/agent/node";
import { keyVariables } from "../home/keys.ts";
import type { Settings } from "../home/settings.ts";
import type { Place } from "../place.ts";
import { isInside } from "../prompting/is-inside.ts";

export interface BashPlace extends Pick<Place, "cwd" | "home" | "environment" | "choices" | "vault"> {
  /** What can hold commands here; null where it was switched off. */
  readonly sandbox: Promise<SandboxHere> | null;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** What rules deny, to commands too where they can be held to it. */
  readonly denied: DeniedPlaces;
}

export interface BashHere {
  readonly bash: BashTool;
  readonly notes: readonly string[];
}

export async function bashHere(place: BashPlace, blobs: Blobs): Promise<BashHere> {
  const { cwd: root, environment, choices, mayWrite, denied, vault } = place;
  const heard = (shell: WorkspaceShell): WorkspaceShell => (vault ? redactedShell(shell, vault) : shell);
  const kept = { blobs, redaction: vault ?? undefined };
  const unconfined = heard(nodeShell({ root, environment, withheld: keyVariables() }));
  const here = (await place.sandbox) ?? OFF;
  if (here.type === "does-not") {
    const notes = [...notesOn(here, choices), ...unheldNotes([...denied.held, ...denied.unheld])];
    return { bash: bashTool(unconfined, kept), notes };
  }
  const network = hasNetwork(choices);
  const bash = bashTool(heard(confined(here, place)), { ...kept, sandbox: { unconfined, network, mayWrite } });
  return { bash, notes: unheldNotes(denied.unheld) };
}

function confined({ program }: Extract<SandboxHere, { type: "works" }>, place: BashPlace): WorkspaceShell {
  const { cwd: root, home, environment, choices, mayWrite, denied } = place;
  return sandboxedShell({
    program,
    root,
    home: homedir(),
    environment,
    network: hasNetwork(choices),
    mayWrite,
    withheld: keyVariables(),
    hidden: [home, ...denied.unseen],
    shown: [join(home, "skills")].filter((path) => !isUnseen(path, denied)),
    guarded: [home, ...denied.unchanged],
  });
}

function hasNetwork({ network }: Settings): boolean {
  return network !== "off";
}

/** The scripts of a skill lie beside its text; who denied reading there denied them too. */
function isUnseen(path: string, { unseen }: DeniedPlaces): boolean {
  return unseen.some((place) => path === place || isInside(place, path));
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
  const unheld =
    sandbox === "off" ? [] : [`commands have no sandbox, so each needs --allow or --permission-mode all: ${why}`];
  return network === "off" ? [...unheld, "--network off counts in the sandbox alone"] : unheld;
}

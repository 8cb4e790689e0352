/** What holds in this folder for this call: whether the folder is trusted, and then what flags, variables and files say together. */

import { homedir } from "node:os";
import type { Environment } from "@pith/models";
import type { Mistake } from "../asking/mistake.ts";
import { type Chosen, choose } from "./choose.ts";
import { projectSettings } from "./project-settings.ts";
import type { Choices } from "./settings.ts";
import { type TrustedFolder, trustedFolder } from "./trust/trusted-folder.ts";
import { untrustedNote } from "./trust/untrusted-note.ts";

export type Holding = (Extract<Chosen, { type: "chosen" }> & { readonly trusted: TrustedFolder }) | Mistake;

export interface CallPlaces {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome?: string;
  readonly environment: Environment;
}

export interface Said {
  readonly choices: Choices;
  /** Whether the folder is trusted in this call. */
  readonly trusts: boolean;
}

export async function whatHolds({ choices: flags, trusts }: Said, places: CallPlaces): Promise<Holding> {
  const trusted = await trustedFolder({ userHome: homedir(), ...places, always: trusts });
  const chosen = await choose(flags, { ...places, project: projectSettings(trusted) });
  if (chosen.type === "mistake") return chosen;
  const untrusted = untrustedNote(trusted);
  const notes = [...trusted.notes, ...chosen.notes, ...(untrusted === null ? [] : [untrusted])];
  return { ...chosen, trusted, notes };
}

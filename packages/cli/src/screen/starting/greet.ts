/** The first session of all begins: who speaks and why, where Pith chose it itself, and one hint. */

import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { providers } from "@pith/models";
import type { Ready } from "../../working/readied.ts";
import type { Stage } from "../stage.ts";
import { HINT, speaksNow, WELCOME } from "./words.ts";

export async function greet(ready: Ready, screen: Stage): Promise<void> {
  const { missing, agent } = ready.built;
  if (missing !== null || agent.session.leaf !== null || !(await isFirst(ready))) return;
  if (ready.place.choices.model === undefined) screen.tell(`${WELCOME}\n${chosenTold(ready)}`);
  screen.change((state) => ({ ...state, hint: HINT }));
}

function chosenTold({ built, place }: Ready): string {
  const { provider, model } = built.agent.model;
  const keys = providers.find(({ id }) => id === provider)?.keys ?? [];
  const variable = keys.find((name) => place.environment[name]?.trim());
  return speaksNow(`${provider}/${model}`, variable ? `with the key in ${variable}` : "with the key you keep for it");
}

/** Whether no other session was ever kept. */
async function isFirst({ built: { sessionPath } }: Ready): Promise<boolean> {
  if (sessionPath === null) return false;
  const folder = dirname(sessionPath);
  const [folders, files] = await Promise.all([readdir(dirname(folder)), readdir(folder)]);
  const isAlone = folders.every((name) => name === basename(folder) || name.startsWith("."));
  return isAlone && files.every((name) => name === basename(sessionPath) || !name.endsWith(".jsonl"));
}

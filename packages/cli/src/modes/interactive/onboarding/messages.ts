/** Defines the messages of the first start, greets the first session, and adds advice to a failed run. */

import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { RunEnd } from "@pith/agent";
import { providers } from "@pith/models";
import type { Ready } from "../../../app/start.ts";
import type { Stage } from "../screen-context.ts";

export const WELCOME: string = [
  "Pith: a coding agent whose long sessions keep their memory.",
  "Enter sends · / commands · @ files · Esc stops · Ctrl+C twice quits",
].join("\n");

export const HINT: string = "Say what you want done in this folder; /help shows more, /model who speaks.";

export const LEFT: string =
  "Nobody can speak yet. Say anything and you are asked again; or set a key such as ANTHROPIC_API_KEY, or start a server such as Ollama, and run pith again.";

export function speaksNow(model: string, from: string): string {
  return `${model} speaks, ${from}.`;
}

export function refusedKey(name: string, status: number): string {
  return `${name} refused this key (${status}). Was all of it copied?`;
}

export function uncheckedKey(name: string, why: string): string {
  return `${name} could not be asked whether it takes this key: ${why}. The key is saved; your first message will show whether it works.`;
}

export async function greet(ready: Ready, screen: Stage): Promise<void> {
  const { missing, agent } = ready.built;
  if (missing !== null || agent.session.leaf !== null || !(await isFirst(ready))) return;
  if (ready.place.choices.model === undefined) screen.tell(`${WELCOME}\n${chosenTold(ready)}`);
  screen.change((state) => ({ ...state, hint: HINT }));
}

function chosenTold({ built, place }: Ready): string {
  const { provider, model } = built.agent.model;
  const keys = providers.find(({ id }) => id === provider)?.keyVariables ?? [];
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

type Failed = Extract<RunEnd, { type: "failed" }>;

export function withWayOut({ why, code }: Failed): string {
  const way = code && ways[code];
  return way ? `${why}\n${way}` : why;
}

const ways: Readonly<Partial<Record<NonNullable<Failed["code"]>, string>>> = {
  "key-refused":
    "The key is not taken: mend it in its variable or in ~/.pith/keys.json, then start again; or /model for somebody else. pith doctor shows which keys are found.",
  unreachable:
    "Nothing is lost: say it again when the network or the server is there, or /model for somebody else. pith doctor shows what is wrong here.",
};

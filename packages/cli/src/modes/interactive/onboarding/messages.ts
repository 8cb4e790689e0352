/** Defines the messages of the first start, greets the first session, and adds advice to a failed run. */

import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { RunEnd } from "@pith/agent";
import { providers } from "@pith/models";
import type { App } from "../../../app/start.ts";
import type { ScreenApi } from "../screen-context.ts";

export const WELCOME: string = [
  "Pith: a coding agent whose long sessions keep their memory.",
  "Enter sends · / commands · @ files · Esc stops · Ctrl+C twice quits",
].join("\n");

export const FIRST_HINT: string = "Say what you want done in this folder; /help shows more, /model who speaks.";

export const NO_MODEL_MESSAGE: string =
  "Nobody can speak yet. Say anything and you are asked again; or set a key such as ANTHROPIC_API_KEY, or start a server such as Ollama, and run pith again.";

export function formatModelReady(model: string, source: string): string {
  return `${model} speaks, ${source}.`;
}

export function formatRefusedKey(name: string, status: number): string {
  return `${name} refused this key (${status}). Was all of it copied?`;
}

export function formatUncheckedKey(name: string, reason: string): string {
  return `${name} could not be asked whether it takes this key: ${reason}. The key is saved; your first message will show whether it works.`;
}

export async function greetFirstSession(app: App, screen: ScreenApi): Promise<void> {
  const { missingModel, agent } = app;
  if (missingModel !== null || agent.session.leaf !== null || !(await isFirstSession(app))) return;
  if (app.settings.model === undefined) screen.showNote(`${WELCOME}\n${formatChosenModel(app)}`);
  screen.update((state) => ({ ...state, hint: FIRST_HINT }));
}

function formatChosenModel(app: App): string {
  const { provider, model } = app.agent.model;
  const keys = providers.find(({ id }) => id === provider)?.keyVariables ?? [];
  const variable = keys.find((name) => app.environment[name]?.trim());
  return formatModelReady(
    `${provider}/${model}`,
    variable ? `with the key in ${variable}` : "with the key you keep for it",
  );
}

/** Whether no other session is saved. */
async function isFirstSession({ sessionPath }: App): Promise<boolean> {
  if (sessionPath === null) return false;
  const folder = dirname(sessionPath);
  const [folders, files] = await Promise.all([readdir(dirname(folder)), readdir(folder)]);
  const isAlone = folders.every((name) => name === basename(folder) || name.startsWith("."));
  return isAlone && files.every((name) => name === basename(sessionPath) || !name.endsWith(".jsonl"));
}

type FailedRun = Extract<RunEnd, { type: "failed" }>;

export function addAdvice({ why, code }: FailedRun): string {
  const advice = code && ADVICE_BY_CODE[code];
  return advice ? `${why}\n${advice}` : why;
}

const ADVICE_BY_CODE: Readonly<Partial<Record<NonNullable<FailedRun["code"]>, string>>> = {
  "key-refused":
    "The key is not taken: mend it in its variable or in ~/.pith/keys.json, then start again; or /model for somebody else. pith doctor shows which keys are found.",
  unreachable:
    "Nothing is lost: say it again when the network or the server is there, or /model for somebody else. pith doctor shows what is wrong here.",
};

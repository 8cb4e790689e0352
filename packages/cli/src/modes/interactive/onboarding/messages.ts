/** Defines the messages of the first start, and greets the first session. */

import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { providers } from "@pith/models";
import type { App } from "../../../app/start.ts";
import type { SessionScreen } from "../screen-context.ts";

export const WELCOME: string = [
  "Pith: a coding agent that doesn't lose the thread in long sessions.",
  "Enter send · / commands · @ files · Esc stop · Ctrl+C twice quit",
].join("\n");

export const FIRST_HINT: string = "Tell Pith what to do here. /help lists commands, /model changes the model.";

export const NO_MODEL_MESSAGE: string =
  "No model is configured yet. Pith will ask you to choose one when you send a message. You can also enter an API key with /login, or start a local server such as Ollama.";

const localServers: readonly string[] = providers
  .filter(({ isLocal }) => isLocal)
  .map(({ id, baseUrl = "" }) => `${id} (${new URL(baseUrl).host})`);

export const NO_LOCAL_MODEL_MESSAGE: string =
  `No local model was found. Pith looked for ${localServers.join(", ")}. Start a server, download a model ` +
  '(for example, ollama pull qwen3), then choose "Look for local models again". If the server has another address, set baseUrl in the settings.';

export function formatModelReady(model: string, source: string): string {
  return `Using ${model} ${source}.`;
}

export async function greetFirstSession({
  app,
  screen,
}: SessionScreen<"agent" | "missingModel" | "settings" | "environment" | "sessionPath">): Promise<void> {
  const { missingModel, agent, sessionPath } = app;
  if (missingModel !== null || agent.session.leaf !== null || !(await isFirstSession(sessionPath))) return;
  if (app.settings.model === undefined)
    screen.showNote(screen.hasPages ? formatChosenModel(app) : `${WELCOME}\n${formatChosenModel(app)}`);
  screen.update((state) => ({ ...state, hint: FIRST_HINT }));
}

function formatChosenModel({ agent, environment }: Pick<App, "agent" | "environment">): string {
  const { provider, model } = agent.model;
  const keys = providers.find(({ id }) => id === provider)?.keyVariables ?? [];
  const variable = keys.find((name) => environment[name]?.trim());
  return formatModelReady(
    `${provider}/${model}`,
    variable ? `with the API key in ${variable}` : "with your saved API key",
  );
}

/** Whether no other session is saved. */
async function isFirstSession(sessionPath: string | null): Promise<boolean> {
  if (sessionPath === null) return false;
  const folder = dirname(sessionPath);
  const [folders, files] = await Promise.all([readdir(dirname(folder)), readdir(folder)]);
  const isAlone = folders.every((name) => name === basename(folder) || name.startsWith("."));
  return isAlone && files.every((name) => name === basename(sessionPath) || !name.endsWith(".jsonl"));
}

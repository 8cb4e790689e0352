/** A talk whose agent is at work until a file lets it go on, and what its model has heard. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, Step } from "@pith/testkit";
import { type InteractiveApp, type InteractiveAppOptions, startInteractiveApp } from "./interactive-app.ts";

export interface BusyApp extends InteractiveApp {
  /** Lets the command end. */
  finishCommand(): void;
}

/** Runs a command first, and then says what the script says. */
export async function startBusyApp(script: Script, options: InteractiveAppOptions = {}): Promise<BusyApp> {
  const waitingCommand: Step = {
    parts: [
      { type: "call", name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done; echo gone" } },
    ],
  };
  const app = await startInteractiveApp([waitingCommand, ...(script as readonly Step[])], allowAll(options));
  app.submit("work");
  await app.waitUntil(() =>
    app.screen.state.blocks.some((block) => block.kind === "tool" && block.state === "running"),
  );
  return { ...app, finishCommand: () => writeFileSync(join(app.folder, "go"), "") };
}

/** Nobody is asked. */
export function allowAll(options: InteractiveAppOptions = {}): InteractiveAppOptions {
  return { ...options, args: { overrides: { permissionMode: "all" }, ...options.args } };
}

/** When nothing is under way. */
export async function waitUntilIdle(app: InteractiveApp): Promise<void> {
  await app.waitUntil(
    () => app.screen.state.activity.type === "idle" && app.screen.state.pendingShellBlocks.length === 0,
  );
}

/** The texts of the user's messages in a request, oldest first. */
export function listUserTexts(app: InteractiveApp, request = -1): readonly string[] {
  const body = app.server.requests.at(request)?.body as { readonly messages: readonly Message[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? [])));
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

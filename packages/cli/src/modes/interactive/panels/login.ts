/** Implements `/login` and `/logout` on the screen, and asks for another key when the provider has rejected the current one. */

import { findKeyVariable, unsetKeyVariables } from "@pith/host/settings/provider-keys";
import { drainRun } from "../../../app/live-session.ts";
import { useCurrentKey } from "../../../commands/login.ts";
import { runCommand } from "../../../commands/run-command.ts";
import { findProviderOption, listProviderOptions, type ProviderOption } from "../../../models/check-key.ts";
import { describeKeySource, listSavedProviders, reopenModel, resolveProviderOption } from "../../../models/login.ts";
import { askAndSaveKey, type KeyParts } from "../onboarding/questions.ts";
import type { InteractiveContext, SessionScreen } from "../screen-context.ts";
import { showResult } from "../send.ts";
import { createPickPanel } from "./choice.ts";

export async function openLogin(args: string, context: InteractiveContext): Promise<boolean> {
  const option =
    args === "" ? await pickProvider("Enter an API key for which provider?", listProviderOptions(), context) : args;
  if (option === null) return true;
  const resolved = typeof option === "string" ? resolveProviderOption(option) : { type: "found" as const, option };
  if (resolved.type === "mistake") {
    await showResult(resolved, context);
    return true;
  }
  const variable = await enterKey(resolved.option, context);
  if (variable === "skipped") return true;
  await showResult(await useCurrentKey(resolved.option, `the API key you entered.${variable}`, context.app), context);
  return true;
}

/** Returns a note about a variable that has another key, or an empty text. */
async function enterKey(
  option: ProviderOption,
  { app, screen }: SessionScreen<KeyParts>,
  error?: string,
): Promise<string | "skipped"> {
  if ((await askAndSaveKey(option, app, screen, error)) === null) return "skipped";
  const variable = findKeyVariable(option.provider, app.environment);
  // The variable would take precedence over the key that was just entered.
  unsetKeyVariables(option.provider, app.environment);
  if (variable === null) return "";
  return ` ${variable} still contains a different key. Pith will use that key the next time it starts, unless you unset the variable.`;
}

async function pickProvider(
  title: string,
  options: readonly ProviderOption[],
  { app, screen }: SessionScreen<"home" | "environment">,
): Promise<ProviderOption | null> {
  const rows = await Promise.all(
    options.map(async (option) => {
      const source = await describeKeySource(option.provider, app);
      return { label: option.name, description: source === null ? "no API key" : `API key ${source}`, value: option };
    }),
  );
  const choice = await screen.showPanel(createPickPanel({ title, rows, leaveHint: "Esc cancel" }), { where: "inline" });
  return choice?.value ?? null;
}

/** With one saved key or a name, the command runs as in other modes. */
export async function openLogout(args: string, context: InteractiveContext): Promise<boolean> {
  const saved = args === "" ? await listSavedProviders(context.app.home) : null;
  if (saved?.type !== "read" || saved.options.length < 2) return false;
  const option = await pickProvider("Remove the API key for which provider?", saved.options, context);
  const result = option && (await runCommand(`/logout ${option.provider.id}`, context.app));
  if (result) await showResult(result, context);
  return true;
}

/** Asks for another key and sends the failed request again. Esc leaves everything as it is. */
export async function replaceRejectedKey(context: InteractiveContext): Promise<void> {
  const { app, screen } = context;
  const { agent } = app;
  const option = findProviderOption(agent.model.provider);
  if (option === null || contextsWithQuestion.has(app)) return;
  contextsWithQuestion.add(app);
  try {
    await agent.waitForIdle();
    const source = await describeKeySource(option.provider, app);
    const error = `${option.name} rejected the API key${source === null ? "" : ` ${source}`}.`;
    const variable = await enterKey(option, context, error);
    if (variable === "skipped") return;
    const result = await reopenModel(option.provider, app);
    if (result.type === "failed") return screen.showNote(result.message, "bad");
    screen.showNote(`Sending the request again with the API key you entered.${variable}`, "good");
  } finally {
    contextsWithQuestion.delete(app);
  }
  await drainRun(agent.resume());
}

/** A second question about the same key would only be in the way. */
const contextsWithQuestion = new WeakSet<object>();

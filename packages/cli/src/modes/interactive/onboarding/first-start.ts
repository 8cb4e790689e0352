/** Runs the first start without a model: finds or asks for a provider, a key and a model, then begins the session again. */

import type { UserContent } from "@pith/agent";
import { editableText } from "@pith/context/host";
import type { App } from "../../../app/start.ts";
import type { CliArgs } from "../../../args/args.ts";
import { defaultModels } from "../../../models/open-model.ts";
import { saveKey, saveSetting } from "../../../settings/save.ts";
import type { InteractiveContext, ScreenApi } from "../screen-context.ts";
import { formatModelReady, NO_MODEL_MESSAGE, WELCOME } from "./messages.ts";
import { findProviderOption, type ProviderOption } from "./providers.ts";
import { askKey, askModel, askModelSource } from "./questions.ts";

/** The wish to go on with; null where it was put off, and that has been told. */
export async function runFirstStart(app: App, screen: ScreenApi): Promise<CliArgs | null> {
  const requested = findRequestedModel(app);
  screen.showNote(requested === null ? WELCOME : (app.missingModel ?? ""), requested === null ? "plain" : "warning");
  return await askForModel(app, screen);
}

/** The same without a welcome. */
export async function askForModel(app: App, screen: ScreenApi): Promise<CliArgs | null> {
  const model = await selectModel(findRequestedModel(app), { app, screen });
  if (model === null) {
    screen.showNote(NO_MODEL_MESSAGE);
    return null;
  }
  const { args } = app;
  return { ...args, overrides: { ...args.overrides, model } };
}

interface FirstStartContext {
  readonly app: App;
  readonly screen: ScreenApi;
}

/** Who was named, by a setting, a flag or the session; null where nobody was. */
function findRequestedModel(app: App): string | null {
  const { model } = app.agent.session.branch.state;
  return app.settings.model ?? (model ? `${model.provider}/${model.modelId}` : null);
}

/** As `provider/model`. */
async function selectModel(requested: string | null, context: FirstStartContext): Promise<string | null> {
  const option = requested === null ? null : findProviderOption(requested.split("/")[0] ?? "");
  if (option) return (await askAndSaveKey(option, context)) === null ? null : requested;
  const chosen = await askModelSource(context.screen);
  if (chosen === null) return null;
  if (chosen.type === "provider") return await selectProviderModel(chosen.option, context);
  const model = await saveModel(chosen.provider, chosen.model, context);
  context.screen.showNote(
    formatModelReady(`${chosen.provider}/${chosen.model}`, "on this machine, and no key is needed"),
    "good",
  );
  return model;
}

async function selectProviderModel(option: ProviderOption, context: FirstStartContext): Promise<string | null> {
  const models = await askAndSaveKey(option, context);
  if (models === null) return null;
  const { id } = option.provider;
  const defaultModel = defaultModels[id] ?? "";
  const answer = await askModel({ name: option.name, defaultModel, models }, context.screen);
  if (answer === null) return null;
  context.screen.showNote(formatModelReady(`${id}/${answer.model}`, "with the key you gave"), "good");
  // Whoever takes the usual one gets the next usual one, too.
  return answer.shouldSave && answer.model !== defaultModel
    ? await saveModel(id, answer.model, context)
    : `${id}/${answer.model}`;
}

/** The models its key is good for, as far as is known; null where there is no key. */
async function askAndSaveKey(
  { provider, name, keyPage }: ProviderOption,
  { app, screen }: FirstStartContext,
): Promise<readonly string[] | null> {
  const { home, environment } = app;
  const entered = await askKey({ provider, name, keyPage }, { environment, home, screen });
  if (entered === null) return null;
  const error = await saveKey({ provider: provider.canonicalId ?? provider.id, key: entered.key, home });
  if (error === null) return entered.models;
  screen.showNote(error.message, "bad");
  return null;
}

/** A model that Pith would not choose by itself is remembered, so that nobody is asked again. */
async function saveModel(provider: string, model: string, { app, screen }: FirstStartContext): Promise<string> {
  const name = `${provider}/${model}`;
  const error = await saveSetting({ path: ["model"], value: name, home: app.home });
  if (error !== null) screen.showNote(error.message, "warning");
  return name;
}

/** Sends a message that was written without a model: asks for a model first. */
export async function sendAfterSetup(content: UserContent, { app, screen, leave }: InteractiveContext): Promise<void> {
  const prompt = editableText(content);
  const nextArgs = await askForModel(app, screen);
  if (nextArgs === null) return screen.editorText.set(prompt);
  const { agent, sessionPath } = app;
  const hasStarted = agent.session.leaf !== null && sessionPath !== null;
  leave({ ...nextArgs, prompt, files: [], ...(hasStarted && { session: { type: "named", name: sessionPath } }) });
}

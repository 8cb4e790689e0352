/** Runs the first start without a model: finds or asks for a provider, a key and a model, then starts the session again. */

import type { UserContent } from "@pith/agent";
import { editableText } from "@pith/context/host";
import { openCatalogue } from "@pith/host/models/catalogue";
import type { App } from "../../../app/start.ts";
import type { CliArgs } from "../../../args/args.ts";
import { findProviderOption, type ProviderOption } from "../../../models/check-key.ts";
import { saveSetting } from "../../../settings/save.ts";
import type { InteractiveContext, SessionScreen } from "../screen-context.ts";
import { formatModelReady, NO_MODEL_MESSAGE, WELCOME } from "./messages.ts";
import { askAndSaveKey, askModel, askModelSource, type KeyParts } from "./questions.ts";

/** Returns the arguments to continue with. Null if the user postponed the setup; a note then says how to continue. */
export async function runFirstStart(context: FirstStartContext): Promise<CliArgs | null> {
  const { app, screen } = context;
  if (findRequestedModel(app) === null) screen.showNote(WELCOME, "plain");
  else screen.showNote(app.missingModel ?? "", "warning");
  return await askForModel(context);
}

/** Does the same without the welcome message. */
async function askForModel(context: FirstStartContext): Promise<CliArgs | null> {
  const { app, screen } = context;
  const model = await selectModel(findRequestedModel(app), context);
  if (model === null) {
    screen.showNote(NO_MODEL_MESSAGE);
    return null;
  }
  const { args } = app;
  // If only the key was missing, the model keeps its source.
  if (model === app.settings.model) return args;
  return { ...args, overrides: { ...args.overrides, model }, isModelChosenAtStartup: true };
}

export type FirstStartContext = SessionScreen<KeyParts | "agent" | "args" | "missingModel">;

/** Returns the model that a setting, a flag or the session names. Null if none does. */
function findRequestedModel({ agent, settings }: Pick<App, "agent" | "settings">): string | null {
  const { model } = agent.session.branch.state;
  return settings.model ?? (model ? `${model.provider}/${model.modelId}` : null);
}

/** Returns `provider/model`. Null if the user postponed the setup. */
async function selectModel(requestedModel: string | null, context: FirstStartContext): Promise<string | null> {
  const option = requestedModel === null ? null : findProviderOption(requestedModel.split("/")[0] ?? "");
  if (option && option.provider.keyVariables.length > 0)
    return (await askAndSaveKey(option, context.app, context.screen)) === null ? null : requestedModel;
  const source = await askModelSource(context.screen);
  if (source === null) return null;
  if (source.type === "provider") return await selectProviderModel(source.option, context);
  const model = await saveModel(source.provider, source.model, context);
  context.screen.showNote(
    formatModelReady(`${source.provider}/${source.model}`, "on this machine (no API key needed)"),
    "good",
  );
  return model;
}

async function selectProviderModel(option: ProviderOption, context: FirstStartContext): Promise<string | null> {
  const models = await askAndSaveKey(option, context.app, context.screen);
  if (models === null) return null;
  const { id } = option.provider;
  const defaultModel = (await openCatalogue(context.app.home)).catalogue.defaultModel(id) ?? "";
  const answer = await askModel({ name: option.name, defaultModel, models }, context.screen);
  if (answer === null) return null;
  context.screen.showNote(formatModelReady(`${id}/${answer.model}`, "with the API key you entered"), "good");
  // The default model is not saved, so that a later change of the default applies.
  return answer.shouldSave && answer.model !== defaultModel
    ? await saveModel(id, answer.model, context)
    : `${id}/${answer.model}`;
}

/** Saves a model that is not the default, so that the user is not asked again. */
async function saveModel(provider: string, model: string, { app, screen }: SessionScreen<"home">): Promise<string> {
  const name = `${provider}/${model}`;
  const error = await saveSetting({ path: ["model"], value: name, home: app.home });
  if (error !== null) screen.showNote(error.message, "warning");
  return name;
}

/** Sends a message that was written without a model: asks for a model first. */
export async function sendAfterSetup(content: UserContent, context: InteractiveContext): Promise<void> {
  const { app, screen, leave } = context;
  const prompt = editableText(content);
  const nextArgs = await askForModel(context);
  if (nextArgs === null) return screen.editorText.set(prompt);
  const { agent, sessionPath } = app;
  const hasStarted = agent.session.leaf !== null && sessionPath !== null;
  leave({ ...nextArgs, prompt, files: [], ...(hasStarted && { session: { type: "named", name: sessionPath } }) });
}

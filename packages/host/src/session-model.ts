/** Opens the model of a session: the one that the settings name, or the session's last one. */

import type { Model, Session, ThinkingLevel } from "@pith/context";
import { type ChooseModelOptions, chooseModel, createAbsentModel } from "./models/open-model.ts";
import type { Settings } from "./settings/settings.ts";

export interface SessionModel {
  readonly type: "model";
  readonly model: Model;
  /** The level that the settings name, or the default level of a new session. Undefined if the session keeps its own. */
  readonly thinkingLevel: ThinkingLevel | undefined;
  readonly notes: readonly string[];
  /** Why no model could be opened; null if one was. */
  readonly error: string | null;
}

export interface OpenSessionModelOptions extends Omit<ChooseModelOptions, "sessionId" | "previousModel"> {
  readonly settings: Settings;
}

/** If no model can be opened, its place is taken by one whose requests fail. */
export async function openSessionModel(session: Session, options: OpenSessionModelOptions): Promise<SessionModel> {
  const { settings } = options;
  const { model: lastModel } = session.branch.state;
  const result = await chooseModel(settings, {
    ...options,
    sessionId: session.store.header.id,
    previousModel: lastModel ? `${lastModel.provider}/${lastModel.modelId}` : undefined,
  });
  if (result.type !== "opened") {
    const model = createAbsentModel(result.message, lastModel);
    return { type: "model", model, thinkingLevel: settings.thinking, notes: [], error: result.message };
  }
  const { model, factsResult, notes } = result;
  const isNew = session.leaf === null;
  return {
    type: "model",
    model,
    thinkingLevel: settings.thinking ?? (isNew && factsResult.facts.reasoning ? DEFAULT_THINKING : undefined),
    notes: [...describeResolvedModel(settings.model, model), ...notes()],
    error: null,
  };
}

/** For a new session with a model that can think. An existing session keeps its level, so that its cached prefix stays valid. */
const DEFAULT_THINKING: ThinkingLevel = "medium";

/** Says which model is used if the setting is only a part of its name. */
function describeResolvedModel(requestedModel: string | undefined, { provider, model }: Model): readonly string[] {
  if (requestedModel === undefined || requestedModel.split("/").slice(1).join("/") === model) return [];
  return [`Using ${provider}/${model} for "${requestedModel}".`];
}

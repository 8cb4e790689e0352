/** Runs the first start without a model: finds or asks for a provider, a key and a model, then begins the session again. */

import type { UserContent } from "@pith/agent";
import { editableText } from "@pith/context/host";
import type { Ready } from "../../../app/start.ts";
import type { Wish } from "../../../args/args.ts";
import { usualModels } from "../../../models/open-model.ts";
import { saveKey, saveSetting } from "../../../settings/save.ts";
import type { Stage, Talking } from "../screen-context.ts";
import { LEFT, speaksNow, WELCOME } from "./messages.ts";
import { type House, houseOf } from "./providers.ts";
import { askKey, askModel, askSpeaker } from "./questions.ts";

/** The wish to go on with; null where it was put off, and that has been told. */
export async function firstStart(ready: Ready, screen: Stage): Promise<Wish | null> {
  const wanted = wantedModel(ready);
  screen.tell(wanted === null ? WELCOME : (ready.built.missing ?? ""), wanted === null ? "plain" : "warning");
  return await withSpeaker(ready, screen);
}

/** The same without a welcome. */
export async function withSpeaker(ready: Ready, screen: Stage): Promise<Wish | null> {
  const model = await speaker(wantedModel(ready), { ready, screen });
  if (model === null) {
    screen.tell(LEFT);
    return null;
  }
  const { wish } = ready;
  return { ...wish, choices: { ...wish.choices, model } };
}

interface Start {
  readonly ready: Ready;
  readonly screen: Stage;
}

/** Who was named, by a setting, a flag or the session; null where nobody was. */
function wantedModel({ place, built }: Ready): string | null {
  const { model } = built.agent.session.branch.state;
  return place.choices.model ?? (model ? `${model.provider}/${model.modelId}` : null);
}

/** As `provider/model`. */
async function speaker(wanted: string | null, start: Start): Promise<string | null> {
  const house = wanted === null ? null : houseOf(wanted.split("/")[0] ?? "");
  if (house) return (await keyed(house, start)) === null ? null : wanted;
  const chosen = await askSpeaker(start.screen);
  if (chosen === null) return null;
  if (chosen.type === "house") return await fromHouse(chosen.house, start);
  const model = await kept(chosen.provider, chosen.model, start);
  start.screen.tell(speaksNow(`${chosen.provider}/${chosen.model}`, "on this machine, and no key is needed"), "good");
  return model;
}

async function fromHouse(house: House, start: Start): Promise<string | null> {
  const models = await keyed(house, start);
  if (models === null) return null;
  const { id } = house.provider;
  const usual = usualModels[id] ?? "";
  const asked = await askModel({ name: house.name, usual, models }, start.screen);
  if (asked === null) return null;
  start.screen.tell(speaksNow(`${id}/${asked.model}`, "with the key you gave"), "good");
  // Whoever takes the usual one gets the next usual one, too.
  return asked.isForGood && asked.model !== usual ? await kept(id, asked.model, start) : `${id}/${asked.model}`;
}

/** The models its key is good for, as far as is known; null where there is no key. */
async function keyed({ provider, name, keysAt }: House, { ready, screen }: Start): Promise<readonly string[] | null> {
  const { home, environment } = ready.place;
  const given = await askKey({ provider, name, keysAt }, { environment, home, screen });
  if (given === null) return null;
  const fault = await saveKey({ provider: provider.canonicalId ?? provider.id, key: given.key, home });
  if (fault === null) return given.models;
  screen.tell(fault.message, "bad");
  return null;
}

/** A model that Pith would not choose by itself is remembered, so that nobody is asked again. */
async function kept(provider: string, model: string, { ready, screen }: Start): Promise<string> {
  const name = `${provider}/${model}`;
  const fault = await saveSetting({ path: ["model"], value: name, home: ready.place.home });
  if (fault !== null) screen.tell(fault.message, "warning");
  return name;
}

/** Sends a message that was written without a model: asks for a model first. */
export async function sayAfter(content: UserContent, { ready, screen, leave }: Talking): Promise<void> {
  const words = editableText(content);
  const next = await withSpeaker(ready, screen);
  if (next === null) return screen.words.set(words);
  const { agent, sessionPath } = ready.built;
  const isBegun = agent.session.leaf !== null && sessionPath !== null;
  leave({ ...next, words, files: [], ...(isBegun && { session: { type: "named", name: sessionPath } }) });
}

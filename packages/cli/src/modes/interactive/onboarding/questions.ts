/** Asks for a provider, its key and a model on the first start. Of a key only its length is ever shown. */

import type { Environment } from "@pith/models";
import { type LocalModels, localServers } from "../../../models/available-models.ts";
import { isKey, keyFile } from "../../../settings/keys.ts";
import { plain } from "../../../text/safe-text.ts";
import { type PickRow, pick } from "../panels/choice.ts";
import { answered, goesOn, type Panel, type Pressed, type Sight } from "../panels/panel.ts";
import { emptyLine, hintLine, type LineInput, typedInto } from "../panels/widgets.ts";
import type { Stage } from "../screen-context.ts";
import { CURSOR_MARKER, truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { refusedKey, uncheckedKey } from "./messages.ts";
import { type House, houses, tryKey } from "./providers.ts";

export interface SecretWish {
  readonly title: string;
  /** What to know before. */
  readonly says: string;
  /** Why it is asked once more. */
  readonly fault: string | null;
}

export interface Secret {
  readonly line: LineInput;
  readonly fault: string | null;
}

export function secretLine(wish: SecretWish): Panel<Secret, string> {
  return {
    start: { line: emptyLine, fault: wish.fault },
    press: ({ line, fault }, key) => {
      if (key === "enter") return taken(line);
      const next = pastedInto(line, key) ?? typedInto(line, key);
      return next ? goesOn({ line: next, fault: next.text === "" ? fault : null }) : null;
    },
    draw: (secret, sight) => drawn(wish, secret, sight),
  };
}

function taken(line: LineInput): Pressed<Secret, string> {
  const key = line.text.trim();
  if (isKey(key)) return answered(key);
  const fault = key === "" ? null : "A key is one word of plain letters, digits and signs. Paste it once more.";
  return goesOn<Secret>({ line: emptyLine, fault });
}

/** Some terminals hand over what is pasted as if it were one key. */
function pastedInto({ text, cursor }: LineInput, key: string): LineInput | null {
  if (!/^[!-~]{2,}$/.test(key) || NAMES.test(key)) return null;
  return { text: text.slice(0, cursor) + key + text.slice(cursor), cursor: cursor + key.length };
}

/** What keys are called, so that they are not taken for something pasted. */
const NAMES = /^(?:(?:ctrl|alt|shift|super)\+.+|[a-zA-Z]{2,9}|f\d{1,2})$/;

function drawn({ title, says }: SecretWish, { line, fault }: Secret, { width, theme }: Sight): string[] {
  const length = line.text.length;
  const dots = "•".repeat(Math.min(length, Math.max(8, width - 30)));
  const count = length === 0 ? "" : theme.dim(`  ${length} letters`);
  return [
    theme.border("─".repeat(width)),
    theme.strong(` ${plain(title)}`),
    ...wrapTextWithAnsi(theme.dim(plain(says)), width - 2).map((each) => ` ${each}`),
    ...(fault === null ? [] : [theme.bad(` ✗ ${plain(fault)}`)]),
    ` ❯ ${dots}${CURSOR_MARKER}${theme.selected(" ")}${count}`,
    hintLine(["Enter takes it", "Ctrl+U empties the line", "Esc later"], { width, theme }),
  ].map((each) => truncateToWidth(each, width));
}

/** Shows one line in place of the editor while `act` runs; null where the user skipped it with Esc. */
export async function whileWaiting<Value>(
  words: string,
  screen: Stage,
  act: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  const unwanted = new AbortController();
  const done = new AbortController();
  const closed = screen.ask(waiting(words), { where: "inline", signal: done.signal }).then(() => null);
  try {
    return await Promise.race([act(unwanted.signal), closed]);
  } finally {
    unwanted.abort();
    done.abort();
    await closed;
  }
}

function waiting(words: string): Panel<null, never> {
  return {
    start: null,
    press: () => null,
    draw: (_, { width, theme }) => [
      theme.border("─".repeat(width)),
      truncateToWidth(` ${plain(words)}${theme.dim(" · Esc does without")}`, width),
    ],
  };
}

export interface GivenKey {
  readonly key: string;
  /** What it is good for, as far as its provider told. */
  readonly models: readonly string[];
}

export interface KeyPlace {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  readonly screen: Stage;
}

/** Null where that was put off. */
export async function askKey(house: House, { environment, home, screen }: KeyPlace): Promise<GivenKey | null> {
  const { provider, name, keysAt } = house;
  const title = `Your key for ${name}`;
  const says = `You get one at ${keysAt}. It is kept in ${keyFile(home)}, which only you can read.`;
  for (let fault: string | null = null; ; ) {
    const key = await screen.ask(secretLine({ title, says, fault }), { where: "inline" });
    if (key === null) return null;
    const verdict = await whileWaiting(`Asking ${name} whether it takes this key`, screen, (signal) =>
      tryKey({ provider, key, environment, signal }),
    );
    if (verdict?.type === "accepted") return { key, models: verdict.models };
    if (verdict?.type === "refused") fault = refusedKey(name, verdict.status);
    else {
      screen.tell(uncheckedKey(name, verdict?.why ?? "you did not wait"), "warning");
      return { key, models: [] };
    }
  }
}

export interface ModelChoice {
  /** Of the provider, for people. */
  readonly name: string;
  /** The one to take where one does not know. */
  readonly usual: string;
  /** What the key is good for; empty where nobody knows. */
  readonly models: readonly string[];
}

export interface AskedModel {
  readonly model: string;
  /** Also at the next start. */
  readonly isForGood: boolean;
}

export async function askModel(choice: ModelChoice, screen: Stage): Promise<AskedModel | null> {
  const rows = rowsOf(choice);
  const [only] = rows;
  if (only && rows.length === 1) return { model: only.value, isForGood: true };
  const panel = pick({ title: `Which model of ${choice.name}?`, rows, also: { "alt+enter": "only this time" } });
  const picked = await screen.ask(panel, { where: "inline" });
  return picked && { model: picked.value, isForGood: picked.key === "enter" };
}

/** The usual one first, unless the provider says that it does not have it. */
function rowsOf({ usual, models }: ModelChoice) {
  const has = models.length === 0 || models.some((model) => model === usual || model.startsWith(`${usual}-2`));
  const others = models.filter((model) => model !== usual).map((model) => ({ label: model, says: "", value: model }));
  return [
    ...(has && usual !== "" ? [{ label: usual, says: "a good one to begin with", value: usual }] : []),
    ...others,
  ];
}

export type Speaker =
  | { readonly type: "house"; readonly house: House }
  | { readonly type: "local"; readonly provider: string; readonly model: string };

/** Null where that was put off. */
export async function askSpeaker(screen: Stage): Promise<Speaker | null> {
  for (;;) {
    const found = await whileWaiting("Looking for models on this machine", screen, () => localServers());
    const picked = await screen.ask(pick({ title: "Who shall speak?", rows: modelRows(found ?? []) }), {
      where: "inline",
    });
    if (picked === null) return null;
    if (picked.value !== "again") return picked.value;
  }
}

/** What needs no key comes first. */
export function modelRows(found: readonly LocalModels[]): readonly PickRow<Speaker | "again">[] {
  const local = found.flatMap(({ provider, models }) =>
    models.map((model) => ({
      label: model,
      says: `${provider} on this machine, no key needed`,
      value: { type: "local", provider, model } as const,
    })),
  );
  const distant = houses().map((house) => ({
    label: house.name,
    says: "you give a key",
    value: { type: "house", house } as const,
  }));
  const again = { label: "Look again", says: "when you have started Ollama, LM Studio, llama.cpp or vLLM" };
  return [...local, ...distant, { ...again, value: "again" as const }];
}

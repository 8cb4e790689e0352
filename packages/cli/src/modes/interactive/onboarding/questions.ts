/** Asks for a provider, its key and a model on the first start. Only the length of a key is ever shown. */

import type { HostContext } from "@pith/host/host-context";
import { findLocalServers, type LocalServer } from "@pith/host/models/available-models";
import { isKey, keyFilePath } from "@pith/host/settings/provider-keys";
import { escapeControls } from "@pith/host/text/safe-text";
import type { App } from "../../../app/start.ts";
import {
  checkKey,
  formatRefusedKey,
  formatUncheckedKey,
  listProviderOptions,
  type ProviderOption,
} from "../../../models/check-key.ts";
import { findKeyBaseUrl, saveProviderKey } from "../../../models/login.ts";
import { createPickPanel, type PickRow } from "../panels/choice.ts";
import { continueWith, finishWith, type KeyResult, type Panel, type Viewport } from "../panels/panel.ts";
import { editInput, emptyInput, type LineInput, renderHints } from "../panels/widgets.ts";
import type { ScreenApi } from "../screen-context.ts";
import { CURSOR_MARKER, truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { NO_LOCAL_MODEL_MESSAGE } from "./messages.ts";

export interface SecretInputOptions {
  readonly title: string;
  /** The text below the title. */
  readonly description: string;
  /** Why the previous input was not accepted. Null on the first attempt. */
  readonly error: string | null;
}

export interface SecretInputState {
  readonly line: LineInput;
  readonly error: string | null;
}

export function createSecretInput(options: SecretInputOptions): Panel<SecretInputState, string> {
  return {
    initialState: { line: emptyInput, error: options.error },
    plainQuestion: {
      title: options.title,
      lines: () => [options.description, ...(options.error === null ? [] : [options.error])],
      options: [],
      parseLine: (text) => text.trim(),
    },
    handleKey: ({ line, error }, key) => {
      if (key === "enter") return acceptKey(line);
      const next = insertPaste(line, key) ?? editInput(line, key);
      return next ? continueWith({ line: next, error: next.text === "" ? error : null }) : null;
    },
    render: (state, viewport) => drawSecretInput(options, state, viewport),
  };
}

function acceptKey(line: LineInput): KeyResult<SecretInputState, string> {
  const key = line.text.trim();
  if (isKey(key)) return finishWith(key);
  return continueWith<SecretInputState>({ line: emptyInput, error: key === "" ? null : INVALID_KEY_MESSAGE });
}

const INVALID_KEY_MESSAGE = "That doesn't look like an API key: it contains spaces or non-ASCII characters.";

/** Some terminals send pasted text as if it were one key. */
function insertPaste({ text, cursor }: LineInput, key: string): LineInput | null {
  if (!/^[!-~]{2,}$/.test(key) || KEY_NAME.test(key)) return null;
  return { text: text.slice(0, cursor) + key + text.slice(cursor), cursor: cursor + key.length };
}

/** Matches names of keys, which must not be taken for pasted text. */
const KEY_NAME = /^(?:(?:ctrl|alt|shift|super)\+.+|[a-zA-Z]{2,9}|f\d{1,2})$/;

function drawSecretInput(
  { title, description }: SecretInputOptions,
  { line, error }: SecretInputState,
  { width, theme, isTyping = false }: Viewport,
): string[] {
  const length = line.text.length;
  const dots = "•".repeat(Math.min(length, Math.max(8, width - 30)));
  const count = length === 0 ? "" : theme.dim(`  ${length} characters`);
  return [
    theme.border("─".repeat(width)),
    theme.strong(` ${escapeControls(title)}`),
    ...wrapTextWithAnsi(theme.dim(escapeControls(description)), width - 2).map((row) => ` ${row}`),
    ...(error === null ? [] : [theme.bad(` ✗ ${escapeControls(error)}`)]),
    ` ❯ ${dots}${CURSOR_MARKER}${theme.selected(" ")}${count}`,
    isTyping ? "" : renderHints(["Enter confirm", "Ctrl+U clear", "Esc skip"], { width, theme }),
  ].map((row) => truncateToWidth(row, width));
}

/** Shows one line in place of the editor while `run` runs. Returns null if the user skipped it with Esc. */
async function showWhile<Value>(
  message: string,
  screen: ScreenApi,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  const runController = new AbortController();
  const panelController = new AbortController();
  const skip = screen
    .showPanel(createWaitingPanel(message), { where: "inline", signal: panelController.signal })
    .then(() => null);
  try {
    return await Promise.race([run(runController.signal), skip]);
  } finally {
    runController.abort();
    panelController.abort();
    await skip;
  }
}

function createWaitingPanel(message: string): Panel<null, never> {
  return {
    initialState: null,
    handleKey: () => null,
    render: (_, { width, theme }) => [
      theme.border("─".repeat(width)),
      truncateToWidth(` ${escapeControls(message)}${theme.dim(" · Esc skip")}`, width),
    ],
  };
}

export interface EnteredKey {
  readonly key: string;
  /** The models that the key can use, as far as the provider lists them. */
  readonly models: readonly string[];
}

export interface KeyPromptOptions extends Pick<HostContext, "home" | "environment"> {
  /** The address that requests with this key go to. Default: that of the provider. */
  readonly baseUrl?: string | undefined;
  readonly screen: ScreenApi;
  /** Why the current key must be replaced. Absent if there is none. */
  readonly error?: string | undefined;
}

/** Returns null if the user postponed it. */
async function askKey(option: ProviderOption, options: KeyPromptOptions): Promise<EnteredKey | null> {
  const { environment, home, baseUrl, screen } = options;
  const { provider, name, keyPage } = option;
  const title = `API key for ${name}`;
  const description = `Create one at ${keyPage}. It is saved in ${keyFilePath(home)}, which only you can read.`;
  for (let error: string | null = options.error ?? null; ; ) {
    const panel = createSecretInput({ title, description, error });
    const key = await screen.showPanel(panel, { where: "inline", question: "follow-up" });
    if (key === null || key === "") return null;
    // A panel checks the form itself. A plain question does not.
    if (!isKey(key)) {
      error = INVALID_KEY_MESSAGE;
      continue;
    }
    const check = await showWhile(`Checking the API key with ${name}`, screen, (signal) =>
      checkKey({ provider, key, environment, baseUrl, signal }),
    );
    if (check?.type === "accepted") return { key, models: check.models };
    if (check?.type === "refused") error = formatRefusedKey(name, check.status);
    else {
      screen.showNote(formatUncheckedKey(name, check?.reason ?? null), "warning");
      return { key, models: [] };
    }
  }
}

/** The parts of an app that saving a key needs. */
export type KeyParts = "home" | "environment" | "settings" | "vault";

/** Asks for a key, saves it, and redacts it from now on. Returns the models that it can use, as far as they are known. Null if there is no key. */
export async function askAndSaveKey(
  option: ProviderOption,
  { home, environment, settings, vault }: Pick<App, KeyParts>,
  screen: ScreenApi,
  error?: string,
): Promise<readonly string[] | null> {
  const baseUrl = findKeyBaseUrl(option.provider, settings);
  const answer = await askKey(option, { environment, home, baseUrl, screen, error });
  if (answer === null) return null;
  const saveError = await saveProviderKey(option.provider, answer.key, { home, vault });
  if (saveError === null) return answer.models;
  screen.showNote(saveError.message, "bad");
  return null;
}

export interface ModelPromptOptions {
  /** The display name of the provider. */
  readonly name: string;
  /** The recommended model. */
  readonly defaultModel: string;
  /** The models that the key can use. Empty if they are unknown. */
  readonly models: readonly string[];
}

export interface ChosenModel {
  readonly model: string;
  /** Whether to use the model also at the next start. */
  readonly shouldSave: boolean;
}

export async function askModel(options: ModelPromptOptions, screen: ScreenApi): Promise<ChosenModel | null> {
  const rows = createModelRows(options);
  const [onlyRow] = rows;
  if (onlyRow && rows.length === 1) return { model: onlyRow.value, shouldSave: true };
  const panel = createPickPanel({
    title: `Choose a model from ${options.name}`,
    rows,
    extraKeys: { "alt+enter": "use without saving" },
  });
  const choice = await screen.showPanel(panel, { where: "inline", question: "unprompted" });
  return choice && { model: choice.value, shouldSave: choice.key === "enter" };
}

/** The default model comes first, unless the provider does not list it. */
function createModelRows({ defaultModel, models }: ModelPromptOptions) {
  const hasDefault =
    models.length === 0 || models.some((model) => model === defaultModel || model.startsWith(`${defaultModel}-2`));
  const others = models
    .filter((model) => model !== defaultModel)
    .map((model) => ({ label: model, description: "", value: model }));
  return [
    ...(hasDefault && defaultModel !== ""
      ? [{ label: defaultModel, description: "recommended", value: defaultModel }]
      : []),
    ...others,
  ];
}

export type ModelSource =
  | { readonly type: "provider"; readonly option: ProviderOption }
  | { readonly type: "local"; readonly provider: string; readonly model: string };

/** Returns null if the user postponed it. */
export async function askModelSource(screen: ScreenApi): Promise<ModelSource | null> {
  for (let isRetry = false; ; isRetry = true) {
    const servers = await showWhile("Looking for models on this machine", screen, () => findLocalServers());
    if (isRetry && servers?.length === 0) screen.showNote(NO_LOCAL_MODEL_MESSAGE, "warning");
    const choice = await screen.showPanel(
      createPickPanel({ title: "Choose a provider or a local model", rows: createSourceRows(servers ?? []) }),
      { where: "inline", question: "unprompted" },
    );
    if (choice === null) return null;
    if (choice.value !== "again") return choice.value;
  }
}

/** Models that need no key come first. */
export function createSourceRows(servers: readonly LocalServer[]): readonly PickRow<ModelSource | "again">[] {
  const localRows = servers.flatMap(({ provider, models }) =>
    models.map((model) => ({
      label: model,
      description: `${provider} on this machine, no API key needed`,
      value: { type: "local", provider, model } as const,
    })),
  );
  const providerRows = listProviderOptions().map((option) => ({
    label: option.name,
    description: "needs an API key",
    value: { type: "provider", option } as const,
  }));
  const retryRow = { label: "Look for local models again", description: "start Ollama or LM Studio first" };
  return [...localRows, ...providerRows, { ...retryRow, value: "again" as const }];
}

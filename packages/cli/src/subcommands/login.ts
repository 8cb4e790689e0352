/** Implements `pith login` and `pith logout`. A key is read from the terminal without echo or from a pipe, never from an argument. */

import { buildSettings } from "@pith/host/settings/fields";
import { findKeyVariable, isKey, keyFilePath } from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { resolveLogout } from "../commands/login.ts";
import {
  checkKey,
  formatRefusedKey,
  formatUncheckedKey,
  type KeyCheck,
  listProviderOptions,
  type ProviderOption,
} from "../models/check-key.ts";
import {
  describeKeySource,
  describeLogout,
  describeOverridingVariable,
  findKeyBaseUrl,
  removeProviderKey,
  resolveProviderOption,
  saveProviderKey,
} from "../models/login.ts";
import { readStdin } from "../resources/read-stdin.ts";
import { readSettings } from "../settings/resolve.ts";
import { askLine, canPrompt, readSecret } from "../text/process-io.ts";

export async function runLogin(call: SubcommandCall): Promise<SubcommandResult> {
  const { arguments: args, home, flags } = call;
  const [name = "", extra] = args;
  if (extra !== undefined) return usageError(KEY_AS_ARGUMENT);
  const settings = await readUserSettings(home);
  if (settings.type === "mistake") return settings;
  const resolved = name === "" ? await askProvider(call) : resolveProviderOption(name);
  if (resolved.type !== "found") return resolved;
  const { option } = resolved;
  const shouldCheck = flags["no-check"] !== true;
  const entered = await enterKey(option, { ...call, shouldCheck, settings: settings.settings });
  if (entered.type !== "entered") return entered;
  const error = await saveProviderKey(option.provider, entered.key, { home });
  return error ?? describeLogin(option, entered.check, call);
}

const KEY_AS_ARGUMENT =
  "a key must not be an argument: other users of this machine and your shell history could see it. Run pith login PROVIDER and paste the key, or pipe it in: pith login PROVIDER < FILE";

const CANCELLED: SubcommandResult = { type: "failed", message: "no API key was entered; nothing was changed" };

type UserSettings = { readonly type: "read"; readonly settings: Settings } | UsageError;

async function readUserSettings(home: string): Promise<UserSettings> {
  const result = await readSettings(home);
  return result.type === "read" ? { type: "read", settings: buildSettings(result.fields) } : result;
}

type AskedProvider = ReturnType<typeof resolveProviderOption> | SubcommandResult;

/** The answer is a number of the list or the id of any provider. */
async function askProvider({ environment, home, notify }: SubcommandCall): Promise<AskedProvider> {
  if (!canPrompt()) return usageError("name the provider, as in: pith login anthropic < FILE");
  const options = listProviderOptions();
  for (const [index, { provider, name }] of options.entries()) {
    const source = await describeKeySource(provider, { environment, home });
    notify(`${String(index + 1).padStart(3)}  ${name}${source === null ? "" : ` (API key ${source})`}`);
  }
  const answer = await askLine(`Provider (1-${options.length} or a name): `);
  if (answer === null || answer.trim() === "") return CANCELLED;
  const option = options[Number(answer) - 1];
  return option ? { type: "found", option } : resolveProviderOption(answer.trim());
}

type EnteredKey =
  /** The check is null if it was not wanted. */
  { readonly type: "entered"; readonly key: string; readonly check: KeyCheck | null } | SubcommandResult;

/** At a terminal, a key that is rejected can be entered again. */
async function enterKey(
  option: ProviderOption,
  options: SubcommandCall & { readonly shouldCheck: boolean; readonly settings: Settings },
): Promise<EnteredKey> {
  const { environment, notify, settings, shouldCheck } = options;
  const { provider, name, keyPage } = option;
  const isTerminal = canPrompt();
  if (isTerminal)
    notify(`Create an API key for ${name} at ${keyPage}. The key is not shown while you type or paste it.`);
  for (;;) {
    const key = isTerminal ? await readSecret(`API key for ${name}: `) : await readPipedKey(notify);
    if (key === null || key === "") return isTerminal ? CANCELLED : usageError(`no API key was piped in; ${PIPE_HINT}`);
    const baseUrl = findKeyBaseUrl(provider, settings);
    const check = !isKey(key) || !shouldCheck ? null : await checkKey({ provider, key, environment, baseUrl });
    const problem = !isKey(key) ? INVALID_KEY : check?.type === "refused" ? formatRefusedKey(name, check.status) : null;
    if (problem === null) return { type: "entered", key, check };
    if (!isTerminal) return { type: "failed", message: `${problem} Nothing was saved.` };
    notify(problem);
  }
}

const PIPE_HINT = "pipe a file in, as in: pith login anthropic < FILE";
const INVALID_KEY = "This is not an API key: it has spaces or non-ASCII characters.";

async function readPipedKey(notify: (line: string) => void): Promise<string | null> {
  const input = await readStdin(notify);
  return input.type === "text" ? input.text.trim() : null;
}

function describeLogin(
  { provider, name }: ProviderOption,
  check: KeyCheck | null,
  { environment, home }: SubcommandCall,
): SubcommandResult {
  const file = keyFilePath(home);
  const saved = `The key is saved in ${file}, which only you can read.`;
  const text =
    check?.type === "accepted"
      ? `${name} accepted the API key. ${saved}`
      : check?.type === "unchecked"
        ? `${formatUncheckedKey(name, check.reason)} ${saved}`
        : `The API key for ${name} was not checked. ${saved}`;
  return {
    type: "success",
    text: `${text}${describeOverridingVariable(provider, environment)}`,
    data: {
      provider: provider.id,
      file,
      check: check?.type ?? "skipped",
      variable: findKeyVariable(provider, environment),
    },
  };
}

export async function runLogout(call: SubcommandCall): Promise<SubcommandResult> {
  const { arguments: args, home, environment } = call;
  const resolved = await resolveLogout(args[0] ?? "", home, "pith logout");
  if (resolved.type === "mistake") return resolved;
  const { option } = resolved;
  const result = await removeProviderKey(option.provider, home);
  if (result.type === "mistake") return result;
  const wasRemoved = result.type === "removed";
  return {
    type: "success",
    text: describeLogout(option, wasRemoved, call),
    data: { provider: option.provider.id, wasRemoved, variable: findKeyVariable(option.provider, environment) },
  };
}

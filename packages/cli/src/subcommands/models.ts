/** Implements `pith models list` and `pith models update`. */

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type AvailableModel,
  filterModels,
  formatPrice,
  formatWindow,
  listLocalModels,
  listModelsWithKey,
} from "@pith/host/models/available-models";
import { catalogueFilePath, openCatalogue } from "@pith/host/models/catalogue";
import { formatCount } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import { createNetworkFetch, parseModelList, writeCatalogueFile } from "@pith/models";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { resolveSettings } from "../settings/resolve.ts";

export async function runListModels(call: SubcommandCall): Promise<SubcommandResult> {
  const { cwd, home, environment, notify, flags } = call;
  const effective = await resolveSettings({ overrides: {}, trustsProject: false }, { cwd, home, environment });
  if (effective.type === "mistake") return effective;
  const { catalogue, date, isUpdated, error } = await openCatalogue(home);
  if (error !== null) notify(`pith: ${error}`);
  const [withKey, local] = await Promise.all([
    listModelsWithKey({ home, environment, settings: effective.settings }),
    listLocalModels(),
  ]);
  const query = call.arguments.join(" ");
  const showsOlder = flags.all === true;
  const allModels = [...withKey, ...local];
  const models = filterModels(allModels, { query, showsOlder });
  const isDefault = ({ name, isLocal }: AvailableModel): boolean => {
    const [provider = "", ...rest] = name.split("/");
    return !isLocal && catalogue.defaultModel(provider) === rest.join("/");
  };
  const hidden = query === "" ? allModels.length - models.length : 0;
  const source = `Model list: ${isUpdated ? "stored by pith models update" : "built in"}, dated ${date}.`;
  return {
    type: "success",
    text: [
      ...(models.length === 0
        ? [describeNoModels(allModels.length === 0 ? "" : query)]
        : formatModels(models, isDefault)),
      "",
      ...(hidden > 0 ? [`${formatCount(hidden, "older model is", "older models are")} hidden; --all shows them.`] : []),
      source,
    ].join("\n"),
    data: {
      date,
      hidden,
      models: models.map((model) => ({
        name: model.name,
        ...(model.facts && {
          contextWindow: model.facts.contextWindow,
          maxTokens: model.facts.maxTokens,
          prices: model.facts.prices ?? null,
        }),
        isDefault: isDefault(model),
        isLocal: model.isLocal,
        isOlder: model.isOlder === true,
      })),
    },
  };
}

function describeNoModels(query: string): string {
  return query === ""
    ? "No API key or local server was found. Enter an API key with pith login, or start a local server such as Ollama."
    : `No model that you can use matches "${query}". Only models of providers that you have a key for, and of local servers, are listed.`;
}

function formatModels(
  models: readonly AvailableModel[],
  isDefault: (model: AvailableModel) => boolean,
): readonly string[] {
  const width = Math.max(...models.map(({ name }) => name.length));
  return [
    `${"".padEnd(width)}  ${"window".padStart(10)}  price per million tokens, in / out`,
    ...models.map((model) => {
      const details = `${formatWindow(model).padStart(10)}  ${formatPrice(model)}`;
      return `${model.name.padEnd(width)}  ${details}${isDefault(model) ? "  (default)" : ""}`;
    }),
  ];
}

export async function runUpdateModels(call: SubcommandCall): Promise<SubcommandResult> {
  const [source = ""] = call.arguments;
  const url = /^[a-z]+:\/\//i.test(source) ? URL.parse(source) : null;
  if (url && !isAllowedUrl(url)) return usageError(`${source} is not an https URL; http is only used on this machine`);
  const input = url ? await downloadText(url, call) : await readBoundedFile(resolve(call.cwd, source));
  if (input.type === "failed") return { type: "failed", message: `${source}: ${input.message}` };
  const result = parseModelList(input.text, new Date().toISOString().slice(0, 10));
  if (result.type === "invalid")
    return { type: "failed", message: `${source} is not a models.dev list: ${result.message}` };
  const { data, models, skipped } = result;
  const current = await openCatalogue(call.home);
  if (data.date < current.date)
    return {
      type: "failed",
      message: `${source} is from ${data.date}; the list in use is newer (${current.date}), so nothing was changed`,
    };
  const path = catalogueFilePath(call.home);
  try {
    await writeCatalogueFile(path, data);
  } catch (error) {
    return { type: "failed", message: `${path} cannot be written: ${error instanceof Error ? error.message : error}` };
  }
  const { isUpdated } = await openCatalogue(call.home);
  const skippedText = skipped === 0 ? "" : ` ${formatCount(skipped, "model")} with invalid figures skipped.`;
  const providerCount = Object.keys(data.rows).length;
  const stored = `Stored ${formatCount(models, "model")} from ${formatCount(providerCount, "provider")} (${data.date}).${skippedText}`;
  const note = isUpdated ? "" : " The built-in list is just as new, so it stays in use.";
  return {
    type: "success",
    text: stored + note,
    data: { path, date: data.date, providers: providerCount, models, skipped, isUsed: isUpdated },
  };
}

type InputText =
  | { readonly type: "read"; readonly text: string }
  | { readonly type: "failed"; readonly message: string };

/** The list from models.dev has about 3 MB. */
const MAX_INPUT_BYTES = 12 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const TOO_LARGE = `it is larger than ${MAX_INPUT_BYTES / 1024 / 1024} MB`;

function isAllowedUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK_HOSTS.has(hostname));
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Follows no redirect: it could lead to a URL that is not allowed. */
async function downloadText(url: URL, { environment }: SubcommandCall): Promise<InputText> {
  try {
    const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    const response = await createNetworkFetch(environment)(url, { signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400)
      return failed(`it redirects to ${location ?? "another address"}; use that address`);
    if (!response.ok || !response.body) return failed(`the server answered with status ${response.status}`);
    return await collectText(response.body);
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return failed(`no complete answer within ${DOWNLOAD_TIMEOUT_MS / 1000} seconds`);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return failed(`it cannot be reached: ${cause instanceof Error ? cause.message : cause}`);
  }
}

async function collectText(chunks: AsyncIterable<Uint8Array>): Promise<InputText> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > MAX_INPUT_BYTES) return failed(TOO_LARGE);
    parts.push(chunk);
  }
  return { type: "read", text: Buffer.concat(parts).toString("utf8") };
}

async function readBoundedFile(path: string): Promise<InputText> {
  try {
    const file = await open(path, "r");
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return failed("it is not a file");
      return stats.size > MAX_INPUT_BYTES ? failed(TOO_LARGE) : { type: "read", text: await file.readFile("utf8") };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return failed(code === "ENOENT" ? "no such file" : `it cannot be read: ${code}`);
  }
}

function failed(message: string): InputText {
  return { type: "failed", message };
}

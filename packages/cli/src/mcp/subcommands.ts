/** Implements `pith mcp list`, `pith mcp test` and `pith mcp trust`. */

import { homedir } from "node:os";
import { createClientOptions, McpClient } from "@pith/host/mcp/client";
import type { FindSandbox } from "@pith/host/mcp/server-sandbox";
import { formatServerStatuses, readServerStatuses } from "@pith/host/mcp/server-status";
import { readConfiguredServers } from "@pith/host/mcp/servers";
import { Trust } from "@pith/host/mcp/trust";
import { type Confirm, formatTrustText, formatTrustTitle } from "@pith/host/mcp/trust-question";
import {
  createTrustRecord,
  isSameTrustRecord,
  type OfferedTool,
  readTrustRecords,
  type ServerTrustRecord,
  saveTrustRecord,
  trustRecordKey,
} from "@pith/host/mcp/trust-records";
import type { DisabledServer } from "@pith/host/settings/settings";
import { escapeControls } from "@pith/host/text/safe-text";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { version } from "../args/help.ts";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { canPrompt, confirm } from "../text/process-io.ts";

export type OpenClientsResult =
  | {
      readonly type: "opened";
      readonly clients: readonly McpClient[];
      readonly disabled: readonly DisabledServer[];
      /** Whether this folder configures servers that are ignored because it is not trusted. */
      readonly ignoresFolder: boolean;
      readonly findSandbox: FindSandbox;
    }
  | UsageError;

/** Creates the clients of the configured servers. `confirmStart` runs before an untrusted or changed program starts. */
async function openClients(
  { cwd, home, environment, notify }: SubcommandCall,
  confirmStart: Confirm | null = null,
): Promise<OpenClientsResult> {
  const effective = await resolveSettings({ overrides: {}, trustsProject: false }, { cwd, home, environment });
  if (effective.type === "mistake") return effective;
  const { servers, disabled, notes } = readConfiguredServers(effective);
  for (const line of [...effective.notes, ...notes]) notify(`pith: ${line}`);
  const trust = new Trust({ cwd, home, confirm: () => confirmStart });
  const confirm = (): Confirm | null => (canPrompt() ? createTerminalConfirm(notify) : null);
  const clientOptions = createClientOptions(
    { workspace: cwd, home, userHome: homedir(), environment, settings: effective.settings },
    { trust, confirm, readVersion: async () => version() },
  );
  const clients = servers.map((namedServer) => new McpClient(namedServer, clientOptions));
  const { type, project } = effective.trustedFolder;
  const ignoresFolder = type === "untrusted" && project.files.some(({ kind }) => kind === "servers");
  return { type: "opened", clients, disabled, ignoresFolder, findSandbox: clientOptions.findSandbox };
}

function createTerminalConfirm(notify: SubcommandCall["notify"]): Confirm {
  return async (title, text) => {
    notify(escapeControls(text));
    return await confirm(title);
  };
}

export type InspectServerResult =
  | {
      readonly type: "inspected";
      readonly client: McpClient;
      readonly tools: readonly OfferedTool[];
      readonly key: string;
      readonly before: ServerTrustRecord | undefined;
      /** The text shown before the program started. Empty if the program was trusted and unchanged. */
      readonly startText: string;
    }
  /** No user could be asked, so the program was not started. `text` describes what would run. */
  | { readonly type: "not-started"; readonly name: string; readonly text: string }
  | UsageError
  | { readonly type: "failed"; readonly message: string };

/** Starts one server, lists its tools and stops it again. Asks before an untrusted program starts. */
async function inspectServer(call: SubcommandCall): Promise<InspectServerResult> {
  const [name = ""] = call.arguments;
  let startText = "";
  const confirm: Confirm = async (title, text, options) => {
    startText = text;
    if (call.flags.yes || !canPrompt()) return Boolean(call.flags.yes);
    return await createTerminalConfirm(call.notify)(title, text, options);
  };
  const clientsResult = await openClients(call, confirm);
  if (clientsResult.type === "mistake") return clientsResult;
  const client = clientsResult.clients.find(({ namedServer }) => namedServer.name === name);
  if (!client && clientsResult.disabled.some((server) => server.name === name))
    return usageError(`the MCP server ${name} is disabled; remove "enabled": false from its settings to use it`);
  const names = clientsResult.clients.map(({ namedServer }) => namedServer.name).join(", ");
  if (!client)
    return usageError(`no MCP server named ${name}; ${names === "" ? "none are configured" : `available: ${names}`}`);
  const listing = await client.listTools(new AbortController().signal).finally(() => client.close());
  if (startText !== "" && !call.flags.yes && !canPrompt()) return { type: "not-started", name, text: startText };
  if (listing.type === "failed") return { type: "failed", message: listing.why };
  const recordsResult = await readTrustRecords(call.home);
  if (recordsResult.type !== "read") return { type: "failed", message: recordsResult.why };
  const key = trustRecordKey(client.namedServer, call.cwd);
  return { type: "inspected", client, tools: listing.value, key, before: recordsResult.records.get(key), startText };
}

export async function listServers(call: SubcommandCall): Promise<SubcommandResult> {
  const clientsResult = await openClients(call);
  if (clientsResult.type === "mistake") return clientsResult;
  const statuses = await readServerStatuses(clientsResult.clients, { ...call, ...clientsResult });
  const text =
    statuses.length === 0 && clientsResult.ignoresFolder
      ? "No MCP servers in use; this folder's servers are ignored until you trust it."
      : formatServerStatuses(statuses);
  return { type: "success", text, data: { servers: statuses } };
}

export async function testServer(call: SubcommandCall): Promise<SubcommandResult> {
  const inspection = await inspectServer(call);
  if (inspection.type === "not-started")
    return formatNotStarted(inspection, `To start and trust it, run: pith mcp trust ${inspection.name}`);
  if (inspection.type !== "inspected") return inspection;
  const { client, tools, before } = inspection;
  const { files } = client;
  const { name } = client.namedServer;
  const isTrusted = isSameTrustRecord(before, createTrustRecord(tools, "", files));
  const trustLabel = isTrusted
    ? "The server is trusted in its current state."
    : `The server is not trusted in its current state. To trust it, run: pith mcp trust ${name}`;
  const text = `${formatTrustText({ namedServer: client.namedServer, tools, files, before: isTrusted ? undefined : before })}\n${trustLabel}`;
  const data = { name, isTrusted, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  return { type: "success", text, data };
}

/** Trusts exactly the tools and files that were shown to the user. */
export async function trustServer(call: SubcommandCall): Promise<SubcommandResult> {
  const inspection = await inspectServer(call);
  if (inspection.type === "not-started")
    return formatNotStarted(inspection, "To start and trust it, run the command again with --yes.");
  if (inspection.type !== "inspected") return inspection;
  const { client, tools, before, key, startText } = inspection;
  const { files } = client;
  const { name } = client.namedServer;
  const record = createTrustRecord(tools, new Date().toISOString(), files);
  const question = { namedServer: client.namedServer, tools, files, before };
  const data = { name, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  if (isSameTrustRecord(before, record))
    return {
      type: "success",
      text: `The tools from ${name} are already trusted.`,
      data: { ...data, isTrusted: true },
    };
  const shownText = [startText, formatTrustText(question)].filter((text) => text !== "").join("\n");
  if (!call.flags.yes && !canPrompt()) {
    const text = `${shownText}\nNothing was trusted. To trust this, run the command again with --yes.`;
    return { type: "success", text, data: { ...data, isTrusted: false }, code: 1 };
  }
  if (!call.flags.yes) {
    call.notify(escapeControls(formatTrustText(question)));
    if (!(await confirm(formatTrustTitle(question)))) return { type: "failed", message: "nothing was trusted" };
  }
  const saveResult = await saveTrustRecord(key, record, call.home);
  if (saveResult.type === "failed") return saveResult;
  const text = `${call.flags.yes ? `${shownText}\n` : ""}The tools from ${name} are now trusted.`;
  return { type: "success", text, data: { ...data, isTrusted: true } };
}

function formatNotStarted(
  { name, text }: Extract<InspectServerResult, { type: "not-started" }>,
  nextStep: string,
): SubcommandResult {
  const data = { name, isTrusted: false, wasTrusted: false, tools: [] };
  return { type: "success", text: `${text}\nThe server was not started. ${nextStep}`, data, code: 1 };
}

/** Reads and describes the status of the MCP servers of a session. */

import { type DisabledServer, formatServerCommand, type NamedServer } from "../settings/settings.ts";
import { formatCount } from "../text/format.ts";
import type { McpClient } from "./client.ts";
import type { FindSandbox } from "./server-sandbox.ts";
import { formatOrigin, sanitizeLine } from "./trust-question.ts";
import { readTrustRecords, trustRecordKey } from "./trust-records.ts";

export interface ServerStatus {
  readonly name: string;
  readonly commandOrUrl: string;
  readonly from: NamedServer["from"];
  readonly state: McpClient["state"] | "off";
  /** The number of trusted tools. Null if the server is not trusted. */
  readonly trusted: number | null;
  readonly failure?: string;
  /** `on`, or why it is off. Absent for an HTTP server. */
  readonly sandbox?: string;
  /** The hosts that the program reached or was refused, most recent first. */
  readonly hosts?: readonly string[];
}

export interface StatusOptions {
  readonly cwd: string;
  readonly home: string;
  readonly disabled: readonly DisabledServer[];
  readonly findSandbox: FindSandbox;
}

export async function readServerStatuses(
  clients: readonly McpClient[],
  { cwd, home, disabled, findSandbox }: StatusOptions,
): Promise<readonly ServerStatus[]> {
  const recordsResult = await readTrustRecords(home);
  const disabledStatuses = disabled.map(
    ({ name, commandOrUrl, from }): ServerStatus => ({
      name,
      commandOrUrl: sanitizeLine(commandOrUrl, 200),
      from,
      state: "off",
      trusted: null,
    }),
  );
  const statuses = clients.map(async ({ namedServer, state, lastFailure, recentHosts }): Promise<ServerStatus> => {
    const detection = "url" in namedServer.server ? null : await findSandbox(namedServer);
    const record =
      recordsResult.type === "read" ? recordsResult.records.get(trustRecordKey(namedServer, cwd)) : undefined;
    return {
      name: namedServer.name,
      commandOrUrl: sanitizeLine(formatServerCommand(namedServer.server), 200),
      from: namedServer.from,
      state,
      trusted: record ? Object.keys(record.tools).length : null,
      ...(lastFailure !== null && { failure: sanitizeLine(lastFailure, 300) }),
      ...(detection && { sandbox: detection.type === "available" ? "on" : `off, ${sanitizeLine(detection.why, 200)}` }),
      ...(recentHosts.length > 0 && { hosts: recentHosts }),
    };
  });
  return [...(await Promise.all(statuses)), ...disabledStatuses];
}

export function formatServerStatuses(statuses: readonly ServerStatus[]): string {
  if (statuses.length === 0) return NO_SERVERS_MESSAGE;
  return statuses
    .map(({ name, commandOrUrl, from, state, trusted, failure, sandbox, hosts }) => {
      const trustLabel = trusted === null ? "not trusted yet" : `${formatCount(trusted, "tool")} trusted`;
      const stateLabel = state === "off" ? 'off ("enabled": false)' : `${state}, ${trustLabel}`;
      const details = [
        commandOrUrl,
        failure ?? "",
        sandbox && `sandbox: ${sandbox}`,
        hosts && `hosts: ${hosts.join(", ")}`,
      ];
      return [`${name}  ${stateLabel}${formatOrigin(from)}`, ...details.filter(Boolean)].join("\n  ");
    })
    .join("\n");
}

const NO_SERVERS_MESSAGE = [
  "No MCP servers are configured. To add one, name it in ~/.pith/settings.json, for example:",
  '  "mcpServers": { "tracker": { "url": "https://tracker.example.com/mcp" } }',
  "Then start Pith again, or run /reload in an interactive session.",
].join("\n");

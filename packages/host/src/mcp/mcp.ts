/** Implements the bundled MCP extension: the tools `mcp_find` and `mcp_call` for all servers together, and their status for `/mcp`. */

import type { Extension, ExtensionContext } from "@pith/agent";
import { listServerKeys } from "../settings/keys-in-use.ts";
import { createCallTool } from "./call-tool.ts";
import { createClientOptions, McpClient, type McpTimeouts } from "./client.ts";
import { createClientManager, createFindTool } from "./find-tool.ts";
import { formatServerStatuses, readServerStatuses } from "./server-status.ts";
import { type McpOptions, readConfiguredServers } from "./servers.ts";
import { Trust } from "./trust.ts";
import { type Confirm, createTrustConfirm } from "./trust-question.ts";

export function createMcpExtension(options: McpOptions, timeouts: Partial<McpTimeouts> = {}): Extension {
  return (pith) => {
    const { cwd, home, notify = () => {} } = options;
    const { servers: namedServers, disabled, notes } = readConfiguredServers(options);
    for (const line of notes) notify(line);
    for (const { name, server } of namedServers)
      for (const key of listServerKeys({ [name]: server })) options.vault?.addKey(key.name, key.value);
    if (namedServers.length === 0) return;
    const folderServers = namedServers.filter(({ from }) => from === "folder").map(({ name }) => name);
    if (folderServers.length > 0) notify(`this folder configures MCP servers: ${folderServers.join(", ")}`);
    // Null until the session starts.
    let uiContext: Pick<ExtensionContext, "ui" | "hasUI"> | null = null;
    const confirm = (): Confirm | null => {
      const ui = uiContext?.hasUI ? uiContext.ui : null;
      return ui && createTrustConfirm(ui);
    };
    const trust = new Trust({ cwd, home, confirm });
    const clientOptions = createClientOptions(
      { ...options, workspace: cwd },
      { trust, confirm, readVersion: options.readVersion },
    );
    const clients = namedServers.map((namedServer) => new McpClient(namedServer, { ...clientOptions, timeouts }));
    const manager = createClientManager(clients, trust);
    pith.registerTool(createFindTool(manager));
    pith.registerTool(createCallTool(manager));
    options.onMcpStatus?.(async () =>
      formatServerStatuses(
        await readServerStatuses(clients, { cwd, home, disabled, findSandbox: clientOptions.findSandbox }),
      ),
    );
    pith.on("session_start", (_, context) => {
      uiContext = context;
    });
    pith.on("session_shutdown", () => manager.close());
  };
}

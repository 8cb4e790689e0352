/** Servers of tools, by the names that the user gave them. */

export type McpServers = Readonly<Record<string, McpServer>>;

export type McpServer = StdioServer | HttpServer;

/** A program that is started and talked to. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NamedServer {
  readonly name: string;
  readonly server: McpServer;
  /** Who named it: the user's settings, a trusted folder, or an editor that called. */
  readonly from: "settings" | "folder" | "caller";
}

/** A server that somebody switched off. */
export interface OffServer extends Pick<NamedServer, "name" | "from"> {
  /** As it would be started or reached; empty where that cannot be told. */
  readonly how: string;
}

/** Who named it, as the end of a sentence. */
export const namer: Readonly<Record<NamedServer["from"], string>> = {
  settings: "your settings, under mcpServers",
  folder: "this folder (.mcp.json or .pith/mcp.json)",
  caller: "your editor",
};

/** As it is started or reached, in one line for people. */
export function spelledOut(server: McpServer): string {
  return "url" in server ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

/** Exports the RPC client, the protocol's types, and the line splitter that both ends of the protocol use. */

export { RpcClient, type RpcClientOptions, type RpcExit } from "./client.ts";
export type { AssistantMessageEvent, CommandResult, ErrorLine, MessageUpdate, WireEvent } from "./events.ts";
export { createLineSplitter, type Line, type LineSplitter, MAX_LINE_BYTES } from "./lines.ts";
export type {
  BashUpdate,
  DeliveryMode,
  PromptResult,
  RpcAttachment,
  RpcCommand,
  RpcCommandName,
  RpcCommands,
  RpcCostEvent,
  RpcCostResponse,
  RpcEvent,
  RpcModel,
  RpcParams,
  RpcResponse,
  RpcResponseTo,
  RpcResult,
  RpcSlashCommand,
  RpcState,
  RpcStats,
  RpcTreeNode,
  RpcUiRequest,
  RpcUiResponse,
  RpcUsage,
  SlashCommandResult,
} from "./protocol.ts";

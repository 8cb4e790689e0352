/** Exports the RPC client and the protocol types as `pith/rpc`. */

export type {
  Delivery,
  RpcAnswer,
  RpcAnswerTo,
  RpcCommand,
  RpcCommands,
  RpcEvent,
  RpcGives,
  RpcModel,
  RpcName,
  RpcSlashCommand,
  RpcState,
  RpcStats,
  RpcTakes,
  RpcTreeNode,
  RpcUiRequest,
  RpcUiResponse,
  RpcUsage,
} from "../protocol.ts";
export { RpcClient, type RpcEnd, type RpcStart } from "./client.ts";

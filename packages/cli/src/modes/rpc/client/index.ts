/** The door `pith/rpc`: a client for programs that talk to Pith, with the types of all that goes over the line. */

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

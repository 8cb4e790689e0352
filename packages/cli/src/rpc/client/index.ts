/** The door `pith/rpc`: a client for programs that talk to Pith, with the types of all that goes over the line. */

export type { RpcCommand, RpcCommands, RpcGives, RpcName, RpcTakes } from "../line/rpc-commands.ts";
export type {
  Delivery,
  RpcModel,
  RpcSlashCommand,
  RpcState,
  RpcStats,
  RpcTreeNode,
  RpcUsage,
} from "../line/rpc-data.ts";
export type { RpcAnswer, RpcAnswerTo, RpcEvent, RpcUiRequest, RpcUiResponse } from "../line/rpc-lines.ts";
export { RpcClient, type RpcEnd, type RpcStart } from "./rpc-client.ts";

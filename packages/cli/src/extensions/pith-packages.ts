/** Exports all of Pith's packages for extensions. It is large, so only `load.ts` may import it, and only if there are extensions. */

export * as agent from "@pith/agent";
export * as agentNode from "@pith/agent/node";
export * as context from "@pith/context";
export * as contextHost from "@pith/context/host";
export * as contextNode from "@pith/context/node";
export * as contextSearch from "@pith/context/search";
export * as contextSecrets from "@pith/context/secrets";
export * as contextStore from "@pith/context/store";
export * as models from "@pith/models";
export * as modelsConvert from "@pith/models/convert";
export * as modelsOverflow from "@pith/models/overflow";

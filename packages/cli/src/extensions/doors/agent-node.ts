/** The door `@pith/agent/node`, all of it, for extensions alone. */

export * from "@pith/agent/node";

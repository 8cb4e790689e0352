/** The door `@pith/agent`, all of it, for extensions alone. */

export * from "@pith/agent";

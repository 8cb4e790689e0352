/** The door `@pith/context/node`, all of it, for extensions alone. */

export * from "@pith/context/node";

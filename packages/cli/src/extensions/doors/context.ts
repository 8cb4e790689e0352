/** The door `@pith/context`, all of it, for extensions alone. */

export * from "@pith/context";

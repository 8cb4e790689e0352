/** The door `@pith/models`, all of it, for extensions alone. */

export * from "@pith/models";

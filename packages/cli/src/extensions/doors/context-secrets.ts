/** The door `@pith/context/secrets`, all of it, for extensions alone. */

export * from "@pith/context/secrets";

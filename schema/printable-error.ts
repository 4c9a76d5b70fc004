/** An error whose message is enough for a user to act on, so that commands print it without its class. */
export abstract class PrintableError extends Error {}

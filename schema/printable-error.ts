/**
 * An error whose message is enough for a user to act on, so that commands print it without its class. A bundle renames
 * classes: an error whose name its log needs sets it.
 */
export class PrintableError extends Error {
  override readonly name: string = this.constructor.name
}

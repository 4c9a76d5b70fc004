/**
 * A file that cannot be loaded, for a reason that its publisher or the operator can act on. The message is one line:
 * the file, the JSON path where there is one, and the rule that is broken.
 */
export class LoadRefused extends Error {
  override readonly name = 'LoadRefused'
  /** The file's path as the operator gave it. */
  readonly file: string

  constructor(file: string, fault: string, options?: ErrorOptions) {
    super(`${toOneLine(file)}: ${toOneLine(fault)}`, options)
    this.file = file
  }
}

/** Names and values of files may hold line breaks and terminal controls; a message may not. */
function toOneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, (control) => JSON.stringify(control).slice(1, -1))
}

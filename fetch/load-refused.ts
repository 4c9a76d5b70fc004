import { printable } from '../contract/texts/show-value.ts'
import { PrintableError } from '../schema/printable-error.ts'
import { showAddress } from './file-address.ts'

/**
 * A file that cannot be loaded, for a reason that its publisher or the operator can act on. The message is one line:
 * the file, the JSON path if there is one, and the broken rule.
 */
export class LoadRefused extends PrintableError {
  /** Path of the file, in the operator's spelling. */
  readonly file: string
  /** The message without the file. */
  readonly fault: string

  constructor(file: string, fault: string, options?: ErrorOptions) {
    super(`${toOneLine(file)}: ${toOneLine(fault)}`, options)
    this.file = file
    this.fault = toOneLine(fault)
  }
}

/** A fault of the file that is being read, for code that need not know its name. The message is one line. */
export class FileFault extends Error {
  constructor(fault: string, options?: ErrorOptions) {
    super(toOneLine(fault), options)
  }
}

/** Reads a file, and names it in its faults. @throws LoadRefused in place of a `FileFault` */
export async function nameFile<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw nameFault(file, error)
  }
}

/** Returns the refusal of a file if the error is a fault of it, else the error. */
export const nameFault = (file: string, error: unknown): unknown =>
  error instanceof FileFault ? new LoadRefused(file, error.message, { cause: error.cause }) : error

/** Characters of a published file's text in a message. */
const longest = 2000

/**
 * Makes text of a published file safe for one line of a terminal or log: names and values may contain line breaks and
 * terminal controls, and URLs signatures.
 */
export const toOneLine = (text: string): string => printable(showAddress(text.slice(0, 2 * longest)), longest)

import { codeOf } from '../../../fetch/error-code.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import { PrintableError } from '../../../schema/printable-error.ts'

/**
 * Turns an error into the refusal of the file that was read or recorded, so that the load goes on. Four kinds of errors
 * are no fault of a file: those that stop the load, those that an operator must act on, errors of the operating system
 * or of a service, and a lack of memory.
 *
 * @param signal of the load's work
 * @throws the error if it is no fault of the file
 */
export function refuseFile(error: unknown, file: string, signal: AbortSignal | undefined): LoadRefused {
  if (error instanceof LoadRefused) return error
  if (signal?.aborted === true || error instanceof PrintableError || isOfMachine(error)) throw error
  return new LoadRefused(file, `cannot be loaded for an unexpected error: ${String(error)}`)
}

/** The first words of messages of V8 and Node about a lack of memory. */
const ofMemory = /^(?:Array buffer allocation failed|Failed to allocate memory)/

/** Source: Node.js documentation, `error.code`; AWS SDK, `$metadata` of all errors of services. */
function isOfMachine(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // A service refuses an item or a value as invalid if the file has made it so.
  const isOfService = '$metadata' in error && error.name !== 'ValidationException'
  return isOfService || /^E(?!RR_)[A-Z]/.test(codeOf(error)) || ofMemory.test(error.message)
}

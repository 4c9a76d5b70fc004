import { codeOf } from '../../../fetch/error-code.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import { PrintableError } from '../../../schema/printable-error.ts'

/**
 * Whatever is thrown while a file is read or recorded refuses that file, and the load goes on. Not a file's are what stops
 * the load, what an operator must act on, an error of the operating system or of a service, and a lack of memory.
 *
 * @param signal of the load's work
 * @throws the error if it is not the file's
 */
export function refuseFile(error: unknown, file: string, signal: AbortSignal | undefined): LoadRefused {
  if (error instanceof LoadRefused) return error
  if (signal?.aborted === true || error instanceof PrintableError || isOfMachine(error)) throw error
  return new LoadRefused(file, `cannot be loaded for an unexpected error: ${String(error)}`)
}

/** The beginnings of messages of V8 and Node about the memory. */
const ofMemory = /^(?:Array buffer allocation failed|Failed to allocate memory)/

/** Source: Node.js documentation, `error.code`; AWS SDK, `$metadata` of all errors of services. */
function isOfMachine(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // A service calls an item or a value invalid that is what the file made it.
  const isOfService = '$metadata' in error && error.name !== 'ValidationException'
  return isOfService || /^E(?!RR_)[A-Z]/.test(codeOf(error)) || ofMemory.test(error.message)
}

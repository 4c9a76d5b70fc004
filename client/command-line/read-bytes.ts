import { UsageError } from './command-errors.ts'

/**
 * Reads a number of bytes: 500000000, 500MB, 20GB, 1TB.
 *
 * @param option the option that has it, for the message
 * @param word another value that the option may have, for the message
 * @throws UsageError
 */
export function readBytes(option: string, text: string, word?: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}) ?([kMGT]?)B?$/i.exec(text) ?? []
  const bytes = Number(digits) * 1000 ** ' kmgt'.indexOf(unit.toLowerCase() || ' ')
  if (digits !== '' && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes
  const alternative = word === undefined ? '' : `, or "${word}"`
  throw new UsageError(`${option} must be a number of bytes such as 500000000 or 20GB${alternative}, not "${text}"`)
}

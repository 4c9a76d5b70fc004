import { isUtf8 } from 'node:buffer'
import { odd, short } from '../json/byte-scan.ts'
import { parsePublished } from '../json/published-number.ts'
import { ValueScan } from '../json/value-scan.ts'

export interface ParsedSlice {
  readonly value: unknown
  /** The position after the value. */
  readonly end: number
}

/** Parses an object or array in a buffer whose bytes up to `end` are known. What is not JSON or not UTF-8 is `odd`. */
export function parseSlice(bytes: Buffer, start: number, end: number): ParsedSlice | typeof odd | typeof short {
  const scan = new ValueScan(start, false)
  if (!scan.advance(bytes, end)) return short
  const slice = bytes.subarray(start, scan.position)
  const parsed = isUtf8(slice) ? parseText(slice.toString(), scan.hasLongNumber) : undefined
  return parsed === undefined ? odd : { value: parsed.value, end: scan.position }
}

/**
 * @param exactly whether some number loses characters when it is parsed as a float
 * @returns undefined if the text is not JSON
 */
export function parseText(text: string, exactly: boolean): { readonly value: unknown } | undefined {
  try {
    return { value: parsePublished(text, exactly) }
  } catch (error) {
    // Nested too deeply, or not JSON: the ordinary way says which.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

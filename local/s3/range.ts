/** A byte range of an object, inclusive at both ends. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Parses a Range header for an object of this size.
 * Source: RFC 9110, section 14; Amazon S3 API Reference, GetObject ("S3 doesn't support retrieving multiple ranges").
 *
 * @returns undefined if the whole object should be sent: no header, several ranges, or an invalid one
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return suffixRange(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start < size ? { start, end } : 'unsatisfiable'
}

function suffixRange(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(0, size - length), end: size - 1 }
}

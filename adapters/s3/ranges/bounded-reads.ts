import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'

export interface ReadLimits {
  /** Maximum bytes that are read of all files together. */
  readonly bytes: number
  /** Time after which nothing more is read, in milliseconds. */
  readonly milliseconds: number
}

/** Limits within which a call answers long before API Gateway gives up. */
export const callLimits: ReadLimits = { bytes: 16_000_000, milliseconds: 10_000 }

/** More bytes or time would be needed than an answer may take. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly limit: keyof ReadLimits

  constructor(limit: keyof ReadLimits) {
    super(`the limit of ${limit} is reached`)
    this.limit = limit
  }
}

/** Reads the bytes of an object from `start` to before `end`. */
export type ReadRange = (key: string, start: number, end: number) => Promise<ArrayBuffer>

/**
 * Returns a reader of ranges of a bucket's objects, for one answer. A range that is read again costs no request and no
 * bytes: it is held, and all of them are within the limit.
 *
 * @returns a reader that throws LimitReached instead of reading beyond the limits
 */
export function openBoundedReads(
  client: S3Client,
  bucket: string,
  { bytes, milliseconds }: ReadLimits,
  now: () => Date,
): ReadRange {
  const deadline = now().getTime() + milliseconds
  let bytesLeft = bytes
  const heldRanges = new Map<string, ArrayBuffer>()
  return async (Key, start, end) => {
    if (now().getTime() >= deadline) throw new LimitReached('milliseconds')
    const Range = `bytes=${start}-${end - 1}`
    const held = heldRanges.get(`${Range} of ${Key}`)
    if (held !== undefined) return held
    bytesLeft -= end - start
    if (bytesLeft < 0) throw new LimitReached('bytes')
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key, Range }))
    if (Body === undefined) throw new TypeError(`S3 gave no bytes of ${Key}`)
    const range = await Body.transformToByteArray()
    if (range.byteLength !== end - start) throw new RangeError(`${Key} ends early`)
    const { buffer } = new Uint8Array(range)
    heldRanges.set(`${Range} of ${Key}`, buffer)
    return buffer
  }
}

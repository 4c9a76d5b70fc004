import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { PrintableError } from '../../schema/printable-error.ts'

/** The path of a file that is to be written has a file with other bytes. */
export class FileDiffers extends PrintableError {
  constructor(address: string) {
    super(`${address} exists with other bytes, and was not replaced: its name should be unique`)
  }
}

/** Compares two streams by the SHA-256 of their bytes, whatever their sizes. */
export async function haveSameBytes(one: Readable, other: Readable): Promise<boolean> {
  const [checksum, otherChecksum] = await Promise.all([hashBytes(one), hashBytes(other)])
  return checksum === otherChecksum
}

async function hashBytes(bytes: AsyncIterable<Buffer>): Promise<string> {
  const sum = createHash('sha256')
  for await (const piece of bytes) sum.update(piece)
  return sum.digest('hex')
}

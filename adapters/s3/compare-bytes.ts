import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

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

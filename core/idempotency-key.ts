import { createHash } from 'node:crypto'
import type { Fault } from '../contract/errors.ts'
import { idempotencyKeyHeader } from '../contract/headers.ts'

/** How long a client's `Idempotency-Key` may be. Source: Stripe API reference, "Idempotent requests". */
export const longestIdempotencyKey = 255

/**
 * What is wrong with an `Idempotency-Key`: nothing, or its one fault. The value is opaque and counts as it was sent, with
 * quotes if it has them. The IETF draft "The Idempotency-Key HTTP Header Field" (07) asks for a quoted string, which may
 * hold spaces; here a space is refused, because a header that was sent twice and joined on the way (`a, b`) would pass for
 * a key that nobody sent. A header without a value is a client's bug, and must not buy a second search.
 */
export function findIdempotencyKeyFaults(key: string): readonly Fault[] {
  if (key.length <= longestIdempotencyKey && /^[!-~]+$/.test(key)) return []
  const message = `must have 1 to ${longestIdempotencyKey} visible ASCII characters, without spaces`
  return [{ path: idempotencyKeyHeader, message }]
}

/**
 * The id of the job that an organization's idempotency key stands for: the same for the same two, so that one conditional
 * write decides whose job it is. 122 bits of a SHA-256, with the version and variant of a UUIDv4.
 * Source: specification, "Search job", job_id; RFC 9562, section 5.4.
 */
export function deriveJobId(orgId: string, key: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['job id', orgId, key]))
    .digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

import { createHash } from 'node:crypto'
import { idempotencyKeyHeader } from '../../contract/headers.ts'
import { maxIdempotencyKeyLength } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'

/**
 * Validates an `Idempotency-Key`; returns at most one fault. The value is opaque and used as sent, including any
 * quotes. The IETF draft "The Idempotency-Key HTTP Header Field" (07) asks for a quoted string, which may contain
 * spaces. Spaces are refused here, because a header that was sent twice and joined by a proxy (`a, b`) would look like
 * a single key. An empty value is a client's bug and must not start a second search.
 */
export function findIdempotencyKeyFaults(key: string): readonly Fault[] {
  if (key.length <= maxIdempotencyKeyLength && /^[!-~]+$/.test(key)) return []
  const message = `must have 1 to ${maxIdempotencyKeyLength} visible ASCII characters, without spaces`
  return [{ path: idempotencyKeyHeader, message }]
}

/**
 * Derives the job id of an organization's idempotency key. It is deterministic, so a single conditional write decides
 * which request creates the job: 122 bits of a SHA-256, with the version and variant of a UUIDv4. Source: RFC 9562,
 * section 5.4.
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

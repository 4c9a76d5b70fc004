import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDynamoByteUsages } from '../../../adapters/dynamodb/dynamo-byte-usages.ts'
import { connectDynamo, queryBelow } from '../../../adapters/dynamodb/dynamo-client.ts'
import type { ByteClaim } from '../../../core/limits/byte-usage.ts'
import type { ByteUsages } from '../../../core/limits/ports.ts'
import { newKey } from '../../builders/new-key.ts'
import { createMemoryByteUsages } from '../../doubles/memory-usages.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const client = connectDynamo()

const stores: readonly (readonly [string, ByteUsages, number])[] = [
  ['in DynamoDB', createDynamoByteUsages(client, tables.jobs), 15],
  ['in memory', createMemoryByteUsages(), 200],
]

const day = '2026-11-20'

/** Returns claims of a new key. */
function openKey() {
  const { orgId, keyId } = newKey()
  return (bytes: number, on = day): ByteClaim => ({ orgId, keyId, day: on, bytes })
}

describe.each(stores)('bytes of keys %s', (_, usages, runs) => {
  it('count from zero each day, and for each key', async () => {
    const [claimOf, claimOfOther] = [openKey(), openKey()]
    expect(await usages.read(claimOf(0))).toBe(0)
    expect(await usages.take(claimOf(60), 100)).toBe('written')
    expect(await usages.take(claimOf(40), 100)).toBe('written')
    expect(await usages.read(claimOf(0))).toBe(100)
    expect(await usages.take(claimOf(100, '2026-11-21'), 100)).toBe('written')
    expect(await usages.take(claimOfOther(100), 100)).toBe('written')
    expect(await usages.read(claimOf(0))).toBe(100)
  })

  it('refuse a claim over the limit without counting it, also as the first of a day', async () => {
    const claimOf = openKey()
    expect(await usages.take(claimOf(101), 100)).toBe('superseded')
    expect(await usages.read(claimOf(0))).toBe(0)
    expect(await usages.take(claimOf(60), 100)).toBe('written')
    expect(await usages.take(claimOf(41), 100)).toBe('superseded')
    expect(await usages.read(claimOf(0))).toBe(60)
  })

  it('obey a limit that was lowered below what is taken, and a raised one', async () => {
    const claimOf = openKey()
    expect(await usages.take(claimOf(60), 100)).toBe('written')
    expect(await usages.take(claimOf(0), 50)).toBe('superseded')
    expect(await usages.take(claimOf(60), 120)).toBe('written')
  })

  it('can be given back, but never below zero', async () => {
    const claimOf = openKey()
    await usages.giveBack(claimOf(10))
    expect(await usages.read(claimOf(0))).toBe(0)
    await usages.take(claimOf(60), 100)
    await usages.giveBack(claimOf(20))
    expect(await usages.read(claimOf(0))).toBe(40)
    await usages.giveBack(claimOf(41))
    expect(await usages.read(claimOf(0))).toBe(40)
    expect(await usages.take(claimOf(1e15), 2e15)).toBe('written')
    expect(await usages.read(claimOf(0))).toBe(1e15 + 40)
  })

  it('never exceed the limit, whatever is claimed and given back at once, and lose nothing', async () => {
    const claims = fc.array(fc.record({ bytes: fc.nat(60), isReturned: fc.boolean() }), { minLength: 2, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(claims, async (wanted) => {
        const claimOf = openKey()
        const sums = await Promise.all(
          wanted.map(async ({ bytes, isReturned }) => {
            if ((await usages.take(claimOf(bytes), 100)) === 'superseded') return 0
            expect(await usages.read(claimOf(0))).toBeLessThanOrEqual(100)
            if (isReturned) await usages.giveBack(claimOf(bytes))
            return isReturned ? 0 : bytes
          }),
        )
        const sum = sums.reduce((total, bytes) => total + bytes, 0)
        expect(await usages.read(claimOf(0))).toBe(sum)
        expect(await usages.take(claimOf(101 - sum), 100)).toBe('superseded')
        expect(await usages.take(claimOf(100 - sum), 100)).toBe('written')
      }),
      { numRuns: runs },
    )
  })
})

describe('the item of bytes in DynamoDB', () => {
  it('expires a day after its day, and belongs to the organization', async () => {
    const usages = createDynamoByteUsages(client, tables.jobs)
    const claim = openKey()(60)
    await usages.take(claim, 100)
    const items = await Array.fromAsync(queryBelow(client, tables.jobs, { org_id: claim.orgId }))
    expect(items).toEqual([
      {
        org_id: claim.orgId,
        item: `bytes#${claim.keyId}#${day}`,
        bytes: 60,
        expires_at: Date.parse('2026-11-22T00:00:00Z') / 1000,
      },
    ])
  })
})

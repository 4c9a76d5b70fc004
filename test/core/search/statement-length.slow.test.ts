import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterOf } from '../../../contract/filters.ts'
import { maxFeeSchedules, maxStatementBytes } from '../../../contract/limits.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import { maxPartitions } from '../../../core/search/partitions/spread.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { findStatementFault, maxIdLength, selectStatement, unloadStatement } from '../../../core/search/statement.ts'
import { newJob, request } from '../../builders/sample-search.ts'

const everywhere = { contents: ['c'] }
const codeSearch = (...billingCodes: string[]): SearchRequest => ({ billingCodes, feeSchedules: request.feeSchedules })

describe('the UNLOAD of a search', () => {
  const destination = 's3://results-bucket/results/o/j/r/attempt-1/'
  const select = selectStatement(request, everywhere)

  it('writes the rows of the SELECT as Parquet below its destination', () => {
    expect(unloadStatement(request, everywhere, destination)).toBe(
      `UNLOAD (\n${select}\n) TO '${destination}'\nWITH (format = 'PARQUET', compression = 'SNAPPY')`,
    )
  })

  it('adds one column at the end if spread over partitions, and keeps the rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxPartitions }), (spread) => {
        const partition = `,\n  CAST(floor(random() * ${spread}) AS integer) AS shard\nFROM `
        expect(unloadStatement(request, everywhere, destination, spread)).toBe(
          `UNLOAD (\n${select.replace(/\nFROM /, partition)}\n) TO '${destination}'\n` +
            "WITH (format = 'PARQUET', compression = 'SNAPPY', partitioned_by = ARRAY['shard'])",
        )
      }),
    )
  })
})

describe('the length of a statement', () => {
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, index) => String(index).padStart(maxIdLength, letter))
  const longJob = newJob({ run: 'r'.repeat(40) })
  const destination = `s3://${'b'.repeat(63)}/${attemptPrefix(longJob, 99)}`
  const bytesOf = (search: SearchRequest) =>
    Buffer.byteLength(unloadStatement(search, worstScope(search), destination, maxPartitions))
  /** Every fee schedule has a separate content, and the lists that prune partitions are as long as possible. */
  const worstScope = (search: SearchRequest, sources = 10_000) => ({
    contents: ids(search.feeSchedules.length, 'c'),
    files: {
      location: `s3://${'b'.repeat(63)}/`,
      // Ids that begin differently are in different folders.
      sources: Array.from({ length: sources }, (_, index) => ({
        loadId: 'l'.repeat(maxIdLength),
        sourceId: String(index).padEnd(maxIdLength, 's'),
      })),
    },
  })

  /** A search with given numbers of items and characters. */
  const searchOf = (counts: {
    npis: number
    tins?: number
    codes: number
    pairs: number
    length: number
    letter: string
  }) => ({
    npis: Array.from({ length: counts.npis }, (_, index) => 1_000_000_000 + index),
    ...(counts.tins && {
      tins: Array.from({ length: counts.tins }, (_, index) => String(index).padStart(20, '0')),
    }),
    billingCodes: Array.from({ length: counts.codes }, (_, index) => `${counts.letter.repeat(counts.length)}${index}`),
    feeSchedules: Array.from({ length: counts.pairs }, (_, index) => ({
      payer: `${counts.letter.repeat(counts.length)}${index % 7}`,
      plan: `${counts.letter.repeat(counts.length)}${index}`,
    })),
  })
  const anySearch = fc
    .record({
      npis: fc.integer({ min: 1, max: filterOf('npis').limit }),
      tins: fc.integer({ min: 0, max: filterOf('tins').limit }),
      codes: fc.integer({ min: 1, max: filterOf('billing_codes').limit }),
      pairs: fc.integer({ min: 1, max: maxFeeSchedules }),
      length: fc.integer({ min: 1, max: 60 }),
      letter: fc.constantFrom('A', "'", '語', '🜚'),
    })
    .map(searchOf)

  it('fits if no fault is found, for any contents and sources', () => {
    fc.assert(
      fc.property(anySearch, (search) => {
        if (findStatementFault(search) === undefined) expect(bytesOf(search)).toBeLessThanOrEqual(maxStatementBytes)
      }),
    )
    expect(findStatementFault(request)).toBeUndefined()
  })

  it('fits with listed files too if no fault is found', () => {
    fc.assert(
      fc.property(anySearch, (search) => {
        const scope = { contents: worstScope(search).contents, files: { searchId: 'i'.repeat(80) } }
        const statement = unloadStatement(search, scope, destination, maxPartitions)
        if (findStatementFault(search) === undefined)
          expect(Buffer.byteLength(statement)).toBeLessThanOrEqual(maxStatementBytes)
        // A table that is not restricted to one search cannot be read at all.
        expect(statement.split(' FROM search_')).toHaveLength(statement.split('search_id = ').length)
      }),
      { numRuns: 30 },
    )
  })

  it('includes what skips files while there is room, then folders alone, then nothing', () => {
    const statementOf = (sources: number, codes = 1) => {
      const search = codeSearch(...Array.from({ length: codes }, (_, index) => `${index}`.padStart(30, 'A')))
      return unloadStatement(search, worstScope(search, sources), destination)
    }
    const hasPositions = (statement: string) =>
      ['negotiated_rates', 'source_id IN', 'bucket IN', 'fee_schedule_sources'].map((text) =>
        text.endsWith('IN') ? statement.includes(text) : statement.includes(`/${text}/bucket=`),
      )
    expect(hasPositions(statementOf(400))).toEqual([true, true, true, true])
    expect(hasPositions(statementOf(400, 4_000))).toEqual([false, false, true, false])
    expect(hasPositions(statementOf(9_700, 7_300))).toEqual([false, false, false, false])
  })

  it('can use every byte of the limit', () => {
    const widest = Array.from({ length: filterOf('npis').limit }, (_, index) => 1_000_000_000 + index)
    const search = (length: number) => ({
      ...codeSearch(...Array.from({ length: 2000 }, (_, i) => `${i}`.padStart(length, 'A'))),
      npis: widest,
    })
    const lengths = Array.from({ length: 60 }, (_, index) => index + 4)
    const longest = lengths.findLast((length) => findStatementFault(search(length)) === undefined) ?? 0
    expect(bytesOf(search(longest))).toBeLessThanOrEqual(maxStatementBytes)
    const shortest = unloadStatement(search(longest), { contents: ['c'] }, destination)
    expect(Buffer.byteLength(shortest)).toBeGreaterThan(maxStatementBytes - 8000)
  })

  it.each([
    ['npis', { npis: 10_000, codes: 2000, pairs: 200, length: 52, letter: 'A' }],
    ['billing_codes', { npis: 10_000, codes: 2000, pairs: 200, length: 60, letter: 'A' }],
    ['fee_schedules', { npis: 2_000, codes: 190, pairs: 200, length: 198, letter: '語' }],
  ])('counts against %s if that list is the longest', (path, counts) => {
    const search = searchOf(counts)
    const shares = {
      npis: search.npis.join(', ').length,
      billing_codes: Buffer.byteLength(search.billingCodes.map((code) => `'${code}', `).join('')),
      fee_schedules: Buffer.byteLength(search.feeSchedules.map(({ plan }) => `'${plan}', `).join('')),
    }
    const longest = Object.entries(shares).reduce((a, b) => (b[1] > a[1] ? b : a))
    expect(longest[0]).toBe(path)
    expect(findStatementFault(search)).toEqual({
      path,
      message: expect.stringMatching(
        /^makes a query of up to \d+ bytes; the limit is 262144: shorten this list or split/,
      ),
    })
  })

  it('names NPIs as the cause even if another list is almost as long', () => {
    const search = searchOf({ npis: 10_000, codes: 1, pairs: 0, length: 1, letter: 'A' })
    const feeSchedules = Array.from({ length: 200 }, (_, index) => ({
      payer: 'Acme',
      plan: `${'語'.repeat(170)}${String(index).padStart(3, '0')}`,
    }))
    const nearly = {
      ...search,
      feeSchedules,
      billingCodes: searchOf({ npis: 1, codes: 1000, pairs: 1, length: 30, letter: 'A' }).billingCodes,
    }
    expect(Buffer.byteLength(feeSchedules.map(({ plan }) => `'${plan}', `).join(''))).toBeGreaterThan(100_000)
    expect(findStatementFault(nearly)?.path).toBe('npis')
  })
})

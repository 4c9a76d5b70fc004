import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import { mostPartitions } from '../../../core/job/spread.ts'
import {
  canonicalBillingCode,
  normaliseBillingCode,
  rewrittenCodeTypes,
  searchedBillingCode,
} from '../../../core/search/billing-code.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { parseSearchRequest, requestLimits } from '../../../core/search/search-request.ts'
import {
  findStatementFault,
  longestStatement,
  maxIdLength,
  maxNamedSources,
  selectStatement,
  unloadStatement,
} from '../../../core/search/statement.ts'
import { ratesColumns } from '../../../schema/rates.ts'
import { anyBody, anyCode } from '../../builders/request-bodies.ts'
import { newJob, request } from '../../builders/sample-search.ts'
import type { RowOfRates } from './statement-model.ts'
import { matches, whereOf } from './statement-model.ts'

const everywhere = { contents: ['c'] }
const [pair] = request.feeSchedules
const rowOf = (facts: RowOfRates): RowOfRates => ({ ...pair, npi: 1003000126, content_id: 'c', ...facts })
const isFound = (
  search: SearchRequest,
  row: RowOfRates,
  contents: readonly string[] = search.feeSchedules.map(() => 'c'),
) => matches(whereOf(selectStatement(search, { contents })), { content_id: 'c', ...row })
const codeSearch = (...billingCodes: string[]): SearchRequest => ({ billingCodes, feeSchedules: request.feeSchedules })

describe('the literals of a statement', () => {
  it('read back as any text that was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (payer, plan) => {
        const search = { npis: [0], feeSchedules: [{ payer, plan }] }
        expect(isFound(search, { payer, plan, npi: 0 })).toBe(true)
        expect(isFound(search, { payer: `${payer}'`, plan, npi: 0 })).toBe(false)
      }),
    )
  })

  it.each(["x' OR '1' = '1", "''", "\\'", "'); DROP TABLE rates --", "a\n'b", '/*', '--', "O''Neil"])(
    'hold %j',
    (plan) => {
      const search = { npis: [0], feeSchedules: [{ payer: 'Acme', plan }] }
      expect(isFound(search, { payer: 'Acme', plan, npi: 0 })).toBe(true)
      expect(isFound(search, { payer: 'Acme', plan: 'another', npi: 0 })).toBe(false)
    },
  )

  it('keep a destination whole', () => {
    expect(unloadStatement(request, everywhere, "s3://a'b/")).toContain(") TO 's3://a''b/'\n")
  })
})

describe('the rows of a search', () => {
  it('are those of its fee schedules, NPIs and codes, all three', () => {
    fc.assert(
      fc.property(anyBody, anyBody, (body, other) => {
        const search = parseSearchRequest(body)
        const elsewhere = parseSearchRequest(other)
        for (const { payer, plan } of [...search.feeSchedules, ...elsewhere.feeSchedules]) {
          for (const npi of [...(search.npis ?? []), ...(elsewhere.npis ?? [])]) {
            for (const code of [...(search.billingCodes ?? []), ...(elsewhere.billingCodes ?? [])]) {
              const row = { payer, plan, npi, billing_code_type: 'CPT', billing_code: code }
              const expected =
                search.feeSchedules.some((one) => one.payer === payer && one.plan === plan) &&
                (search.npis?.includes(npi) ?? true) &&
                (search.billingCodes?.includes(code) ?? true)
              expect(isFound(search, row)).toBe(expected)
            }
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  it('have the canonical form of a code asked for, and of no other code', () => {
    const anyType = fc.constantFrom(...rewrittenCodeTypes, 'CPT', 'HCPCS', 'CSTM-ALL')
    fc.assert(
      fc.property(anyType, anyCode, anyCode, (type, code, other) => {
        const canonical = canonicalBillingCode(type, code)
        const row = rowOf({ billing_code_type: type, billing_code: canonical })
        expect(isFound(codeSearch(canonical), row)).toBe(true)
        const same = canonical === searchedBillingCode(type, other)
        expect(isFound(codeSearch(normaliseBillingCode(other)), row)).toBe(same)
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['RC', '0450', ['450'], true],
    ['RC', '0450', ['0450'], true],
    ['CPT', '0450', ['450'], false],
    ['ICD', '8154', ['81.54'], true],
    ['CPT', '8154', ['81.54'], false],
    ['NDC', '50242004062', ['50242-040-62'], true],
    ['MS-DRG', '001', ['1'], true],
    ['RC', '0001', ['1'], true],
    ['CSTM-ALL', 'CSTM-00', ['99213'], false],
    ['CSTM-ALL', 'CSTM-00', ['99213', 'CSTM-00'], true],
  ])('of type %s with code %s are found by %j: %s', (type, code, asked, found) => {
    expect(isFound(codeSearch(...asked), rowOf({ billing_code_type: type, billing_code: code }))).toBe(found)
  })

  it('are of every code where codes are left out, and of every NPI where NPIs are', () => {
    const row = rowOf({ billing_code_type: 'CPT', billing_code: '1' })
    expect(isFound({ npis: [1003000126], feeSchedules: request.feeSchedules }, row)).toBe(true)
    expect(isFound(codeSearch('1'), rowOf({ ...row, npi: 1999999999 }))).toBe(true)
  })

  it('are of each fee schedule those of its own content, and of no other', () => {
    const names = ['Gold', 'Silver', "O'Neil"]
    const ids = ['c1', 'c2', 'c3']
    const anyPairs = fc.uniqueArray(
      fc.record({ payer: fc.constantFrom('Acme', 'Zenith'), plan: fc.constantFrom(...names) }),
      { minLength: 1, selector: ({ payer, plan }) => payer + plan },
    )
    fc.assert(
      fc.property(anyPairs, fc.infiniteStream(fc.constantFrom(...ids)), (feeSchedules, stream) => {
        const contents = feeSchedules.map(() => stream.next().value ?? '')
        for (const payer of ['Acme', 'Zenith']) {
          for (const plan of names) {
            const place = feeSchedules.findIndex((one) => one.payer === payer && one.plan === plan)
            for (const content_id of ids) {
              const row = { payer, plan, npi: 0, content_id }
              expect(isFound({ npis: [0], feeSchedules }, row, contents)).toBe(
                place >= 0 && contents[place] === content_id,
              )
            }
          }
        }
      }),
    )
  })

  it('are the same with the lists that leave partitions out, which name every partition of theirs', () => {
    const partitions = { loadIds: ['l1', 'l2'], sourceIds: ['s1', 's2'] }
    const where = whereOf(selectStatement(request, { contents: ['c'], partitions }))
    const row = rowOf({ billing_code_type: 'CPT', billing_code: '99213' })
    expect(matches(where, { ...row, load_id: 'l2', source_id: 's1' })).toBe(true)
    expect(matches(where, { ...row, load_id: 'l3', source_id: 's1' })).toBe(false)
    expect(matches(where, { ...row, load_id: 'l2', source_id: 's3' })).toBe(false)
    expect(selectStatement(request, everywhere)).not.toMatch(/load_id|source_id/)
  })

  it('have every column of rates in order, each cast to its type', () => {
    const lines = selectStatement(request, everywhere).split('\nFROM ')[0]?.split('\n').slice(1)
    expect(lines?.map((line) => line.replace(/,$/, '').trim())).toEqual(
      ratesColumns.map(({ name, type }) => `CAST(${name} AS ${type}) AS ${name}`),
    )
  })
})

describe('the fee schedules of a statement', () => {
  it('are grouped by payer', () => {
    const feeSchedules = [
      { payer: 'Acme', plan: 'Gold' },
      { payer: 'Zenith', plan: 'Basic' },
      { payer: 'Acme', plan: 'Silver' },
    ]
    expect(whereOf(selectStatement({ npis: [0], feeSchedules }, { columns: [] }))).toBe(
      "((payer = 'Acme' AND plan IN ('Gold', 'Silver'))\n    OR (payer = 'Zenith' AND plan IN ('Basic')))\n  AND npi IN (0)",
    )
    expect(whereOf(selectStatement({ npis: [0], feeSchedules }, { contents: ['c1', 'c2', 'c1'] }))).toBe(
      "content_id IN ('c1', 'c2')\n  AND ((payer = 'Acme' AND content_id = 'c1' AND plan IN ('Gold', 'Silver'))\n" +
        "    OR (payer = 'Zenith' AND content_id = 'c2' AND plan IN ('Basic')))\n  AND npi IN (0)",
    )
  })
})

describe('the UNLOAD of a search', () => {
  const destination = 's3://results-bucket/results/o/j/r/attempt-1/'
  const select = selectStatement(request, everywhere)

  it('writes what the SELECT finds as Parquet below its destination', () => {
    expect(unloadStatement(request, everywhere, destination)).toBe(
      `UNLOAD (\n${select}\n) TO '${destination}'\nWITH (format = 'PARQUET', compression = 'SNAPPY')`,
    )
  })

  it('spread over partitions has one column more, the last, and the same rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: mostPartitions }), (spread) => {
        const partition = `,\n  CAST(floor(random() * ${spread}) AS integer) AS shard\nFROM rates\n`
        expect(unloadStatement(request, everywhere, destination, spread)).toBe(
          `UNLOAD (\n${select.replace('\nFROM rates\n', partition)}\n) TO '${destination}'\n` +
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
    Buffer.byteLength(unloadStatement(search, worstScope(search), destination, mostPartitions))
  /** Every fee schedule has a content of its own, and the lists that leave partitions out are as long as they can be. */
  const worstScope = (search: SearchRequest, loads = 200) => ({
    contents: ids(search.feeSchedules.length, 'c'),
    partitions: { loadIds: ids(loads, 'l'), sourceIds: ids(maxNamedSources, 's') },
  })

  /** A search with so many items of so many characters. */
  const searchOf = (counts: { npis: number; codes: number; pairs: number; length: number; letter: string }) => ({
    npis: Array.from({ length: counts.npis }, (_, index) => 1_000_000_000 + index),
    billingCodes: Array.from({ length: counts.codes }, (_, index) => `${counts.letter.repeat(counts.length)}${index}`),
    feeSchedules: Array.from({ length: counts.pairs }, (_, index) => ({
      payer: `${counts.letter.repeat(counts.length)}${index % 7}`,
      plan: `${counts.letter.repeat(counts.length)}${index}`,
    })),
  })
  const anySearch = fc
    .record({
      npis: fc.integer({ min: 1, max: requestLimits.npis }),
      codes: fc.integer({ min: 1, max: requestLimits.billing_codes }),
      pairs: fc.integer({ min: 1, max: requestLimits.fee_schedules }),
      length: fc.integer({ min: 1, max: 60 }),
      letter: fc.constantFrom('A', "'", '語', '🜚'),
    })
    .map(searchOf)

  it('fits if no fault is found, whatever the contents and however many their sources', () => {
    fc.assert(
      fc.property(anySearch, (search) => {
        if (findStatementFault(search) === undefined) expect(bytesOf(search)).toBeLessThanOrEqual(longestStatement)
      }),
    )
    expect(findStatementFault(request)).toBeUndefined()
  })

  it('has the lists that leave partitions out as long as there is room, the sources first to go', () => {
    const scope = (loads: number) => ({ scope: worstScope(request, loads), contents: worstScope(request).contents })
    const statementOf = (loads: number) => unloadStatement(request, scope(loads).scope, destination)
    expect(statementOf(200)).toMatch(/load_id IN .*\n.*source_id IN /)
    expect(statementOf(9_700)).toContain('load_id IN')
    expect(statementOf(9_700)).not.toContain('source_id IN')
    expect(statementOf(20_000)).toBe(unloadStatement(request, { contents: scope(0).contents }, destination))
  })

  it('is used up to the last byte that is free', () => {
    const widest = Array.from({ length: requestLimits.npis }, (_, index) => 1_000_000_000 + index)
    const search = (length: number) => ({
      ...codeSearch(...Array.from({ length: 2000 }, (_, i) => `${i}`.padStart(length, 'A'))),
      npis: widest,
    })
    const lengths = Array.from({ length: 60 }, (_, index) => index + 4)
    const longest = lengths.findLast((length) => findStatementFault(search(length)) === undefined) ?? 0
    expect(bytesOf(search(longest))).toBeLessThanOrEqual(longestStatement)
    const shortest = unloadStatement(search(longest), { contents: ['c'] }, destination)
    expect(Buffer.byteLength(shortest)).toBeGreaterThan(longestStatement - 8000)
  })

  it.each([
    ['npis', { npis: 10_000, codes: 2000, pairs: 200, length: 52, letter: 'A' }],
    ['billing_codes', { npis: 10_000, codes: 2000, pairs: 200, length: 60, letter: 'A' }],
    ['fee_schedules', { npis: 2_000, codes: 190, pairs: 200, length: 198, letter: '語' }],
  ])('is blamed on %s where that list is the longest', (path, counts) => {
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

  it('is blamed on NPIs also where another list comes near', () => {
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

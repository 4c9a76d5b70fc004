import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rewrittenCodeTypes } from '../../../contract/texts/code-types.ts'
import { normaliseBillingCode } from '../../../contract/texts/written-code.ts'
import { canonicalBillingCode, searchedBillingCode } from '../../../core/search/billing-code.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { filterRows, matchFeeSchedules } from '../../../core/search/request-filters.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { selectStatement, unloadStatement } from '../../../core/search/statement.ts'
import { at } from '../../../schema/at.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { columnValue } from '../../../schema/columns/rates-views.ts'
import { fileName, folderPath, sourceTables, sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import { anyBody, anyCode, someProviders } from '../../builders/request-bodies.ts'
import { request } from '../../builders/sample-search.ts'
import { type RowOfRates, readPredicate, whereOf } from './statement-model.ts'

const everywhere = { contents: ['c'] }
const [pair] = request.feeSchedules
const rowOf = (facts: RowOfRates): RowOfRates => ({ ...pair, npi: 1003000126, content_id: 'c', ...facts })
/** The conditions that a search puts on rows. */
const conditionsOf = (search: SearchRequest, contents: readonly string[]) => [
  matchFeeSchedules(search.feeSchedules, contents),
  ...filterRows(search).map(({ condition }) => condition),
]
/** Returns whether a search finds a row. */
const finderOf = (search: SearchRequest, contents: readonly string[] = search.feeSchedules.map(() => 'c')) => {
  const isMet = readPredicate(conditionsOf(search, contents).join(' AND '))
  return (row: RowOfRates) => isMet({ content_id: 'c', ...row })
}
const isFound = (search: SearchRequest, row: RowOfRates, contents?: readonly string[]) =>
  finderOf(search, contents)(row)
const codeSearch = (...billingCodes: string[]): SearchRequest => ({ billingCodes, feeSchedules: request.feeSchedules })

describe('the literals of a statement', () => {
  it('parse back to the same text for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (payer, plan) => {
        const search = { npis: [0], feeSchedules: [{ payer, plan }] }
        expect(isFound(search, { payer, plan, npi: 0 })).toBe(true)
        expect(isFound(search, { payer: `${payer}'`, plan, npi: 0 })).toBe(false)
      }),
    )
  })

  it.each(["x' OR '1' = '1", "''", "\\'", "'); DROP TABLE rates --", "a\n'b", '/*', '--', "O''Neil"])(
    'can contain %j',
    (plan) => {
      const search = { npis: [0], feeSchedules: [{ payer: 'Acme', plan }] }
      expect(isFound(search, { payer: 'Acme', plan, npi: 0 })).toBe(true)
      expect(isFound(search, { payer: 'Acme', plan: 'another', npi: 0 })).toBe(false)
    },
  )

  it('preserve the destination', () => {
    expect(unloadStatement(request, everywhere, "s3://a'b/")).toContain(") TO 's3://a''b/'\n")
  })
})

describe('the rows of a search', () => {
  it('meet every condition of the request, on the table with the column', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const search = parseSearchRequest(body)
        const contents = search.feeSchedules.map((_, index) => `c${index}`)
        const statement = selectStatement(search, { contents, nppesMonthId: 'm' })
        for (const condition of conditionsOf(search, contents)) expect(statement).toContain(condition)
      }),
    )
  })

  it('match its fee schedules, NPIs, TINs, codes, and each list of providers', () => {
    const anyProvider = fc.record({
      provider_state: fc.constantFrom(...someProviders.states),
      provider_zip: fc.constantFrom(...someProviders.zips),
      provider_taxonomy: fc.constantFrom(...someProviders.taxonomies),
    })
    fc.assert(
      fc.property(anyBody, anyBody, anyProvider, (body, other, provider) => {
        const search = parseSearchRequest(body)
        const elsewhere = parseSearchRequest(other)
        const isFoundBySearch = finderOf(search)
        for (const { payer, plan } of [...search.feeSchedules, ...elsewhere.feeSchedules]) {
          for (const npi of [0, ...(search.npis ?? []), ...(elsewhere.npis ?? [])]) {
            for (const code of ['99213', ...(search.billingCodes ?? []), ...(elsewhere.billingCodes ?? [])]) {
              for (const tin of ['12', ...(search.tins ?? []), ...(elsewhere.tins ?? [])]) {
                const row = {
                  payer,
                  plan,
                  npi,
                  tin_value: tin,
                  billing_code_type: 'CPT',
                  billing_code: code,
                  ...provider,
                }
                const expected =
                  search.feeSchedules.some((one) => one.payer === payer && one.plan === plan) &&
                  (search.npis?.includes(npi) ?? true) &&
                  (search.tins?.includes(tin) ?? true) &&
                  (search.providers?.states?.includes(provider.provider_state) ?? true) &&
                  (search.providers?.zips?.includes(provider.provider_zip) ?? true) &&
                  (search.providers?.taxonomies?.includes(provider.provider_taxonomy) ?? true) &&
                  (search.billingCodes?.includes(code) ?? true)
                expect(isFoundBySearch(row)).toBe(expected)
              }
            }
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  it('match one of the requested codes in canonical form, and no other', () => {
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
  ])('match type %s and code %s in a search for %j: %s', (type, code, asked, found) => {
    expect(isFound(codeSearch(...asked), rowOf({ billing_code_type: type, billing_code: code }))).toBe(found)
  })

  it('come from rates of a whole TIN if TINs are named without NPIs, and with NPIs only if 0 is among them', () => {
    const byTin = { tins: ['012345678'], feeSchedules: request.feeSchedules }
    const whole = rowOf({ npi: 0, tin_value: '012345678', billing_code_type: 'CPT', billing_code: '1' })
    expect(isFound(byTin, whole)).toBe(true)
    expect(isFound({ ...byTin, npis: [1003000126] }, whole)).toBe(false)
    expect(isFound({ ...byTin, npis: [0, 1003000126] }, whole)).toBe(true)
    expect(isFound(byTin, { ...whole, tin_value: '112345678' })).toBe(false)
  })

  it.each([
    ['12345678', true],
    ['012345678', true],
    ['0012345678', false],
    ['123456780', false],
    ['2345678', false],
  ])('match the TIN %s in a search for 1-2345678, an EIN without its zero: %s', (tin_value, found) => {
    const searched = parseSearchRequest({ tins: ['1-2345678'], fee_schedules: request.feeSchedules })
    const row = rowOf({ tin_value, billing_code_type: 'CPT', billing_code: '1' })
    expect(isFound(searched, row)).toBe(found)
  })

  it('match any code if codes are left out, and any NPI if NPIs are', () => {
    const row = rowOf({ billing_code_type: 'CPT', billing_code: '1' })
    expect(isFound({ npis: [1003000126], feeSchedules: request.feeSchedules }, row)).toBe(true)
    expect(isFound(codeSearch('1'), rowOf({ ...row, npi: 1999999999 }))).toBe(true)
  })

  it('come from the content of their fee schedule only', () => {
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
            const position = feeSchedules.findIndex((one) => one.payer === payer && one.plan === plan)
            for (const content_id of ids) {
              const row = { payer, plan, npi: 0, content_id }
              expect(isFound({ npis: [0], feeSchedules }, row, contents)).toBe(
                position >= 0 && contents[position] === content_id,
              )
            }
          }
        }
      }),
    )
  })

  it('hold every column of rates in order, each cast to its type', () => {
    const statement = selectStatement(request, { ...everywhere, nppesMonthId: 'r' })
    const [, items] = /\nSELECT\n(.*?)\nFROM /s.exec(statement) ?? []
    expect(items?.split(',\n').map((item) => item.trim())).toEqual(
      ratesColumns.map((column) => `CAST(${columnValue(column)} AS ${column.type}) AS ${column.name}`),
    )
  })
})

describe('the positions of rows', () => {
  /** Returns the lines of a statement that test a column of a table's rows. */
  const linesOn = (statement: string, table: string, column: string) => {
    const [own = ''] = statement
      .slice(statement.indexOf(` FROM ${table}`))
      .split(table === 'provider_groups' ? '\nSELECT\n' : `) AS ${table}`)
    return own.split('\n').filter((line) => line.includes(`${column} IN`))
  }

  it('name every file of the sources, so that all others are skipped', () => {
    const sources = [
      { loadId: 'l1', sourceId: 's1', files: [2, 3] },
      { loadId: 'l2', sourceId: 's2', files: [1, 1] },
    ]
    const statement = selectStatement(request, { contents: ['c'], files: { location: 's3://rates/', sources } })
    for (const [position, table] of sourceTables.entries()) {
      const paths = sources.flatMap((source) => {
        const unit = sourceUnit(source)
        return Array.from(
          { length: at(source.files, position) },
          (_, file) => `${folderPath(table, unit)}${fileName(unit, file)}`,
        )
      })
      const [line = ''] = linesOn(statement, table.name, '"$path"')
      expect(line.match(/'[^']*'/g)).toEqual(paths.map((path) => `'s3://rates/${path}'`))
      expect(linesOn(statement, table.name, 'source_id')[0]).toContain("source_id IN ('s1', 's2')")
    }
    expect(selectStatement(request, everywhere)).not.toMatch(/\$path|bucket IN|source_id IN/)
  })

  it('omit the files of more sources than a reader would compare one by one', () => {
    const sources = Array.from({ length: 501 }, (_, index) => ({ loadId: 'l', sourceId: `s${index}` }))
    const statement = selectStatement(request, { contents: ['c'], files: { location: 's3://rates/', sources } })
    expect(linesOn(statement, 'fee_schedule_sources', '"$path"')).toHaveLength(1)
    for (const { name } of sourceTables) {
      expect(linesOn(statement, name, '"$path"')).toEqual([])
      expect(linesOn(statement, name, 'bucket')).toHaveLength(1)
      expect(linesOn(statement, name, 'source_id')).toHaveLength(1)
    }
  })
})

describe('the order of joins', () => {
  const npis = (count: number) => Array.from({ length: count }, (_, index) => 1_000_000_000 + index)
  const codes = (count: number) => Array.from({ length: count }, (_, index) => `${10_000 + index}`)
  const orderOf = (lists: Partial<SearchRequest>, joinOrder?: 'other') => {
    const statement = selectStatement({ feeSchedules: request.feeSchedules, ...lists }, { ...everywhere, joinOrder })
    const positions = ['negotiated_rates', 'provider_groups'].map((table) => statement.lastIndexOf(`) AS ${table}`))
    return at(positions, 0) < at(positions, 1) ? 'builds groups' : 'builds prices'
  }
  const comparesPrices = (lists: Partial<SearchRequest>) =>
    selectStatement({ feeSchedules: request.feeSchedules, ...lists }, everywhere).includes('arrays_overlap')

  it.each([
    ['one NPI', { npis: npis(1) }, 'builds groups'],
    ['a TIN and a code', { tins: ['123456789'], billingCodes: codes(1) }, 'builds groups'],
    ['codes alone', { billingCodes: codes(10) }, 'builds prices'],
    ['many NPIs and few codes', { npis: npis(5000), billingCodes: codes(10) }, 'builds prices'],
    ['many NPIs', { npis: npis(5000) }, 'builds groups'],
    ['more codes than a file has prices of a few', { billingCodes: codes(2000) }, 'builds groups'],
    ['a state', { providers: { states: ['TX'] } }, 'builds groups'],
  ])('follows from the lists of a request: %s %j %s', (_, lists, order) => {
    expect(orderOf(lists)).toBe(order)
    expect(orderOf(lists, 'other')).toBe(order === 'builds groups' ? 'builds prices' : 'builds groups')
  })

  it('changes nothing but the sides of the join if it is the other one', () => {
    const linesOf = (joinOrder?: 'other') =>
      selectStatement({ feeSchedules: request.feeSchedules }, { ...everywhere, nppesMonthId: 'm', joinOrder })
        .split(/[\s()]+/)
        .toSorted()
    expect(linesOf('other')).toEqual(linesOf())
    expect(selectStatement(request, { columns: ['npi'] })).not.toContain('JOIN')
  })

  it('drops prices before they are unnested only for few providers and many prices', () => {
    expect(comparesPrices({ npis: npis(100) })).toBe(true)
    expect(comparesPrices({ tins: ['123456789'], npis: npis(5000) })).toBe(true)
    expect(comparesPrices({ npis: npis(101) })).toBe(false)
    expect(comparesPrices({ billingCodes: codes(1) })).toBe(false)
    expect(comparesPrices({ npis: npis(1), billingCodes: codes(200) })).toBe(false)
    expect(comparesPrices({ npis: npis(1), billingCodes: codes(201) })).toBe(true)
  })

  it('joins the providers of NPPES that are among the requested groups, and all groups unless a place is asked for', () => {
    const join = (lists: Partial<SearchRequest>) =>
      /(LEFT )?JOIN \(SELECT npi AS provider_npi.*?\) AS providers/s.exec(
        selectStatement({ feeSchedules: request.feeSchedules, ...lists }, { ...everywhere, nppesMonthId: 'm' }),
      )?.[0]
    expect(join({ npis: [1000000000] })).toMatch(/^LEFT JOIN .*nppes_month_id = 'm'\s+AND npi IN \(1000000000\)/s)
    expect(join({ billingCodes: ['1'] })).toMatch(/^LEFT JOIN .*AND npi IN \(SELECT npi FROM requested_groups\)/s)
    expect(join({ providers: { states: ['TX'] } })).toMatch(/^JOIN .*AND provider_state IN \('TX'\)/s)
  })

  it('neither sorts nor windows rows of the result', () => {
    const statement = selectStatement(request, { ...everywhere, nppesMonthId: 'm' })
    expect(statement).not.toMatch(/ OVER |ORDER BY|DISTINCT (?!provider_group_key)/)
  })
})

describe('the fee schedules of a statement', () => {
  it('form one group per payer', () => {
    const feeSchedules = [
      { payer: 'Acme', plan: 'Gold' },
      { payer: 'Zenith', plan: 'Basic' },
      { payer: 'Acme', plan: 'Silver' },
    ]
    expect(whereOf(selectStatement({ npis: [0], feeSchedules }, { columns: [] }))).toBe(
      "((payer = 'Acme' AND plan IN ('Gold', 'Silver'))\n    OR (payer = 'Zenith' AND plan IN ('Basic')))\n  AND npi IN (0)",
    )
    expect(selectStatement({ npis: [0], feeSchedules }, { contents: ['c1', 'c2', 'c1'] })).toContain(
      "WHERE content_id IN ('c1', 'c2')\n  AND ((payer = 'Acme' AND content_id = 'c1' AND plan IN ('Gold', 'Silver'))\n" +
        "    OR (payer = 'Zenith' AND content_id = 'c2' AND plan IN ('Basic')))) AS fee_schedule_sources",
    )
  })
})

import { describe, expect, inject, it } from 'vitest'
import { classifyFailure } from '../../adapters/athena/athena-failures.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { at } from '../../schema/at.ts'
import { searchTables } from '../../schema/columns/search-tables.ts'
import { choice, gold, silver } from '../conformance/samples.ts'
import { runOnTrino } from './run-on-trino.ts'
import { measureOnTrino } from './stand-in/measured-query.ts'
import { foldersOnTrino, listOnTrino, scopeOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')
const request = parseSearchRequest({ npis: [1000100002], fee_schedules: [gold] })
const folders = foldersOnTrino(trino, request)

/** Searches without any row, by each kind of filter. */
const nobody = 1_999_999_999
const searchesWithoutRows = [
  ['an NPI', { npis: [nobody] }],
  ['many NPIs', { npis: Array.from({ length: 2_000 }, (_, index) => nobody - index) }],
  ['a TIN', { tins: ['99-9999999'] }],
  ['a code', { billing_codes: ['ZZZZZ'] }],
  ['many codes', { billing_codes: Array.from({ length: 300 }, (_, index) => `ZZ${index}`) }],
  ['an NPI and a code', { npis: [nobody], billing_codes: ['ZZZZZ'] }],
  ['a known NPI and no known code', { npis: [1000100002], billing_codes: ['ZZZZZ'] }],
  ['a known code and no known NPI', { npis: [nobody], billing_codes: ['99213'] }],
  ['a state', { providers: { states: ['PR'] } }],
  ['a state and a code', { providers: { states: ['PR'] }, billing_codes: ['ZZZZZ'] }],
] as const

describe('the tables of searches on a real Trino', () => {
  it.each(searchTables.map(({ name }) => name))('refuse a query of %s that names no search', async (name) => {
    await expect(runOnTrino(trino.url, `SELECT * FROM ${name}`)).rejects.toThrow('search_id')
  })

  it.each(searchTables)('read exactly the files that a search lists: $name', async ({ name, table }) => {
    const { files } = await listOnTrino(trino, folders)
    const searchId = files !== undefined && 'searchId' in files ? files.searchId : ''
    const sql = `SELECT DISTINCT "$path" FROM ${name} WHERE search_id = '${searchId}'`
    const { rows } = await runOnTrino(trino.url, sql)
    expect(rows.length).toBeGreaterThan(0)
    for (const [path] of rows) expect(path).toContain(`${trino.location}${table.name}/bucket=`)
  })
})

describe('a search on a real Trino', () => {
  it('reads nothing and does not fail if its lists are missing, so that the service must notice', async () => {
    const scope = { contents: folders.contents, files: { searchId: 'unlisted' } }
    const { rows, readBytes } = await measureOnTrino(trino, selectStatement(request, scope))
    expect([rows, readBytes]).toEqual([[], 0])
  })

  it('fails if a listed file does not exist, with a reason that the service knows', async () => {
    const source = { ...at(folders.files.sources, 0), sourceId: 'removed' }
    const scope = await listOnTrino(trino, { ...folders, files: { ...folders.files, sources: [source] } })
    const message = await runOnTrino(trino.url, selectStatement(request, scope)).then(
      () => 'it succeeded',
      (error: unknown) => String(error),
    )
    expect(message).toContain('HIVE_FILE_NOT_FOUND')
    expect(classifyFailure(message, undefined)).toBe('file-missing')
  })

  it('returns rows again if a list names their file again, so that a list must name each once', async () => {
    const [source] = folders.files.sources
    const sources = source === undefined ? [] : [source]
    const count = async (scope: typeof folders) =>
      (await runOnTrino(trino.url, selectStatement(request, await listOnTrino(trino, scope)))).rows.length
    const once = await count({ ...folders, files: { ...folders.files, sources } })
    const twice = await count({ ...folders, files: { ...folders.files, sources: [...sources, ...sources] } })
    expect(once).toBeGreaterThan(0)
    expect(twice).toBe(4 * once)
  })

  describe.each([
    ['without NPPES', false],
    ['with NPPES', true],
  ])('for what nobody has, %s', (_, withNppes) => {
    it.each(searchesWithoutRows)(
      'reads footers at least, so that it is told from one that read nothing: %s',
      async (_name, lists) => {
        const search = parseSearchRequest({ ...lists, fee_schedules: [gold, silver, choice] })
        const nppes = withNppes ? { nppesMonthId: trino.nppesMonthId } : {}
        const ways = [await scopeOnTrino(trino, search), foldersOnTrino(trino, search)]
        for (const scope of ways) {
          const { rows, readBytes } = await measureOnTrino(trino, selectStatement(search, { ...scope, ...nppes }))
          expect(rows).toEqual([])
          expect(readBytes).toBeGreaterThan(0)
        }
      },
    )
  })
})

import { describe, expect, it } from 'vitest'
import { parseRequest, writeRequest } from '../../../adapters/dynamodb/jobs/request-items.ts'
import { filterUsage } from '../../../client/cli/commands/search-command.ts'
import { readArguments } from '../../../client/cli/options.ts'
import { filterOptions, nameSearch, readSearchRequest } from '../../../client/cli/search-request.ts'
import { titleRequest, titleSearch } from '../../../client/search-title.ts'
import {
  collectRequestedLists,
  type Filter,
  filterList,
  requestedValuesOf,
  valuesOf,
} from '../../../contract/filters.ts'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { adviseNarrowing, listFilters } from '../../../core/search/filter-words.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { homeOf } from '../../../core/search/request-filters.ts'
import { hashRequest } from '../../../core/search/search-request.ts'
import { measureStatement, selectStatement } from '../../../core/search/statement.ts'
import { readDraft } from '../../../page/form/draft.ts'
import { readDraftLink, writeDraftLink } from '../../../page/form/draft-link.ts'
import { makeWorld } from '../../client/cli/world.ts'
import { readText } from '../../templates/source-files.ts'

/** Two values of each kind of filter; of the kind `listed`, those that fit its form. */
const examples = {
  npi: [1000100002, 1000100010],
  tin: ['123456789', '987654321'],
  code: ['73721', '99213'],
  name: ['Open Access, East', 'Sélect #1'],
} as const
const listed = [
  ['OK', 'TX'],
  ['77030', '97205'],
  ['207R00000X', '2085R0202X'],
] as const

function valuesFor({ kind, written, name }: Filter) {
  if (kind !== 'listed') return examples[kind]
  const values = listed.find((pair) => pair.every((value) => written.test(value)))
  if (values === undefined) throw new TypeError(`no example has the form of ${name}`)
  return values
}

const fee_schedules = [{ payer: 'Acme', plan: 'Gold' }]

function askFor(filter: Filter, count = 2): SearchRequestBody {
  const values = valuesFor(filter).slice(0, count)
  return { ...collectRequestedLists((each) => (each === filter ? values : undefined)), fee_schedules }
}

const scope = { contents: ['content-1'], nppesMonthId: 'month' }

describe.each(filterList.map((filter) => [filter.name, filter] as const))('the filter %s', (name, filter) => {
  const body = askFor(filter)
  const request = parseSearchRequest(body)
  const written = valuesFor(filter).map(String)

  it('means the same whatever the order of its values', () => {
    expect(valuesOf(request, filter)).toEqual(valuesFor(filter))
    const reversed = collectRequestedLists((each) => (each === filter ? valuesFor(filter).toReversed() : undefined))
    expect(parseSearchRequest({ ...reversed, fee_schedules })).toEqual(request)
    expect(hashRequest(parseSearchRequest(askFor(filter, 1)))).not.toBe(hashRequest(request))
  })

  it('comes back from the stored form of a request', () => {
    expect(parseRequest(writeRequest('org', 'hash', request, new Date(0)))).toEqual(request)
  })

  it.each([
    ['rows', undefined],
    ['a summary by prices', { weight: 'prices', by: [] }],
    ['a summary by TINs', { weight: 'tins', by: [] }],
    ['a summary by NPIs of each network', { weight: 'npis', by: ['network'] }],
  ] as const)('restricts %s', (_, summary) => {
    const search = { ...request, ...(summary && { summary }) }
    const statement = selectStatement(search, scope)
    for (const value of written) expect(statement).toContain(value)
    expect(statement).toContain(`FROM ${homeOf(filter)}`)
    const ofRelation = selectStatement(search, { columns: ['network_name', 'provider_state'] })
    for (const value of written) expect(ofRelation).toContain(value)
    expect(measureStatement(search)).toBeGreaterThan(
      measureStatement({ ...parseSearchRequest(askFor(filter, 1)), ...(summary && { summary }) }),
    )
  })

  it('appears in lists and titles, which tell its searches apart', () => {
    expect(listFilters(request)).toEqual([{ name, count: 2, first: written }])
    const listTitle = titleSearch({
      fee_schedule_count: 1,
      first_fee_schedule: { payer: 'Acme', plan: 'Gold' },
      filters: listFilters(request).map((each) => ({ ...each, first: [...each.first] })),
    })
    expect(titleRequest(body)).toEqual(listTitle)
    for (const value of written) expect(listTitle.join()).toContain(value)
    expect(adviseNarrowing({ ...request, billingCodes: request.billingCodes ?? ['99213'] })).not.toBe('')
  })

  it('tells searches of the command line apart by an option', async () => {
    const access = { url: 'http://localhost', key: 'rates_x' }
    const ask = async (values: readonly string[]) => {
      const args = values.flatMap((value) => [`--${filter.option}`, value])
      const parsed = readArguments(['--payer', 'Acme', '--plan', 'Gold', ...args], filterOptions)
      return readSearchRequest(parsed.values, parsed.tokens, makeWorld())
    }
    const asked = await ask(written)
    expect(asked).toEqual(body)
    expect(nameSearch(access, await ask(written.toReversed()))).toBe(nameSearch(access, asked))
    expect(nameSearch(access, await ask(written.slice(0, 1)))).not.toBe(nameSearch(access, asked))
    expect(filterUsage).toContain(`  --${filter.option} `)
  })

  it('fits the form and its link', () => {
    const draft = readDraftLink(writeDraftLink(body))
    expect(draft && readDraft(draft)).toEqual({ request: body })
  })

  it('stands in the documents of the API', () => {
    expect(readText('docs/api.md')).toMatch(new RegExp(`\`${name}\`|"${name}"`))
    expect(readText('docs/openapi.json')).toContain(`"${name}": {`)
  })

  it('stands under its name in a request as it is sent', () => {
    expect(requestedValuesOf(body, filter)).toEqual(valuesFor(filter))
  })
})

import { createHash } from 'node:crypto'
import { collectRequestedLists, type Filter, type FilterValues, filterList, listNames } from '../../contract/filters.ts'
import { maxResultRows, writtenKey } from '../../contract/limits.ts'
import type { FeeSchedule, PlansOfId, SearchRequest } from '../api.ts'
import { UsageError } from '../command-line/command-errors.ts'
import { optionsOf, readBytes, readNumber } from '../command-line/parse-options.ts'
import type { World } from '../command-line/world.ts'
import { readList } from './lists.ts'
import type { Access } from './options.ts'

const repeated = { type: 'string', multiple: true } as const

/** The options of a search, for `search` and `estimate`: the plans, a list for each filter, and the day. */
export const filterOptions = {
  ...optionsOf(['payer', 'plan', 'plan-id', ...filterList.map(({ option }) => option)], repeated),
  'as-of': { type: 'string' },
} as const

/** The options for a part of the result. */
export const partOptions = {
  columns: { type: 'string', multiple: true },
  limit: { type: 'string' },
} as const

/** The option that bounds what a search reads. */
export const boundOptions = { 'max-bytes': { type: 'string' } } as const

/** The help text of this option. */
export const boundUsage = `  --max-bytes <n>   do not run the search if it would read more than n bytes; 500MB, 20GB and 1TB are understood, too`

/** @throws UsageError */
export function readBound({ 'max-bytes': text }: { readonly 'max-bytes'?: string | undefined }) {
  return text === undefined ? {} : { max_bytes: readBytes('--max-bytes', text) }
}

/** @throws UsageError */
export function readParts({
  columns,
  limit,
}: {
  readonly columns?: readonly string[] | undefined
  readonly limit?: string | undefined
}): Pick<SearchRequest, 'columns' | 'limit'> {
  const names = readColumns(columns)
  return {
    ...(names && { columns: names }),
    ...(limit !== undefined && { limit: readNumber('--limit', limit, 1, maxResultRows) }),
  }
}

/** @throws UsageError */
export function readColumns(columns: readonly string[] | undefined): readonly string[] | undefined {
  const names = columns && distinct(columns.flatMap((text) => text.split(',')).map((name) => name.trim().toLowerCase()))
  if (names?.includes('')) throw new UsageError('--columns must be names of columns, separated by commas')
  return names
}

/** An option as given on the command line. */
interface Token {
  readonly kind: string
  readonly name?: string
  readonly value?: string | boolean | undefined
}

/** @throws UsageError */
export async function readSearchRequest(
  values: { readonly [Option in Filter['option']]?: readonly string[] } & { readonly 'as-of'?: string },
  tokens: readonly Token[],
  world: World,
): Promise<SearchRequest> {
  const feeSchedules = pairNames(tokens)
  const lists = tokens.filter(({ name }) => filterList.some(({ option }) => option === name))
  if (lists.length === 0)
    throw new UsageError(
      `give at least one of ${listNames(filterList.map(({ option }) => `--${option}`))}; a list that is left out does not restrict the search`,
    )
  if (lists.filter(({ value }) => value === '-').length > 1)
    throw new UsageError('only one list can be read from standard input (-)')
  const valuesByFilter = new Map<Filter, FilterValues>()
  for (const filter of filterList) {
    const texts = values[filter.option]
    if (texts !== undefined) valuesByFilter.set(filter, await readValues(texts, filter, world))
  }
  return {
    ...collectRequestedLists((filter) => valuesByFilter.get(filter)),
    fee_schedules: feeSchedules,
    ...(values['as-of'] !== undefined && { as_of: values['as-of'] }),
  }
}

async function readValues(texts: readonly string[], filter: Filter, world: World): Promise<FilterValues> {
  const values = await readList(texts, filter, world)
  if (filter.kind === 'npi') return distinct(values).map(Number)
  return distinct(filter.kind === 'name' ? values : values.map((value) => value.toUpperCase()))
}

/** Pairs each plan with the payer before it; a plan id stands by itself. */
function pairNames(tokens: readonly Token[]): SearchRequest['fee_schedules'] {
  const pairs: (FeeSchedule | PlansOfId)[] = []
  let payer: string | undefined
  let plans = 0
  const close = () => {
    if (payer !== undefined && plans === 0) throw new UsageError(`--payer "${payer}" needs a --plan after it`)
  }
  for (const { kind, name, value } of tokens) {
    if (kind !== 'option' || typeof value !== 'string') continue
    if (name === 'payer') {
      close()
      payer = value
      plans = 0
    } else if (name === 'plan') {
      if (payer === undefined) throw new UsageError(`--plan "${value}" needs the --payer that it belongs to before it`)
      pairs.push({ payer, plan: value })
      plans += 1
    } else if (name === 'plan-id') pairs.push({ plan_id: value })
  }
  close()
  if (pairs.length === 0) throw new UsageError('give at least one --payer with a --plan after it, or a --plan-id')
  return pairs
}

const distinct = <Value>(values: readonly Value[]) => [...new Set(values)]

/**
 * Names a search by organization and service, the same each time, and as earlier versions did. A key names its
 * organization, so a new key resumes the searches of the old one.
 */
export function nameSearch({ url, key }: Access, request: SearchRequest): string {
  const {
    npis,
    tins,
    billing_codes,
    fee_schedules,
    as_of,
    providers,
    summary,
    columns,
    max_bytes: _,
    ...rest
  } = request
  const organization = writtenKey.exec(key)?.groups?.['orgId'] ?? key
  const pairs = fee_schedules.map((each) =>
    JSON.stringify('plan_id' in each ? each.plan_id.replace(/[\s-]/g, '').toUpperCase() : [each.payer, each.plan]),
  )
  const filters = [npis?.toSorted((a, b) => a - b), tins?.toSorted(), billing_codes?.toSorted(), pairs.sort()]
  const facts = [
    url.replace(/\/+$/, ''),
    organization,
    ...filters.map((filter) => filter ?? null),
    ...(as_of === undefined ? [] : [as_of]),
    ...(providers ? [Object.entries(providers).map(([name, values]) => [name, values.toSorted()])] : []),
    ...(summary ? [{ summary }] : []),
    ...(columns ? [{ columns: columns.toSorted() }] : []),
    // Whatever else a request has tells it apart, so that no field of a later version is forgotten.
    ...Object.entries(rest).map(([name, value]) => ({ [name]: Array.isArray(value) ? value.toSorted() : value })),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)
}

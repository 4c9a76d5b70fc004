import type { WarehouseReader } from '../../adapters/s3/s3-warehouse-reader.ts'
import type { SearchRequest } from '../../client/api.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { listAllSearchable } from '../../core/catalogue/list-catalogue.ts'
import type { CatalogueAdmin, ContentsAdmin } from '../../core/catalogue/ports.ts'
import { searchedBillingCode } from '../../core/search/billing-code.ts'
import {
  filePrefix,
  folderPath,
  groupTable,
  priceTable,
  type SourceRef,
  sourceUnit,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { type Row, readRows } from './read-parquet.ts'

/** A search for a few providers and codes of one plan, with the rows that it must find. */
export interface TrialSearch {
  readonly request: SearchRequest
  readonly feeSchedule: FeeSchedule
  /** Keys of its rows by `keyOfRow`, sorted. */
  readonly expected: readonly string[]
  /** Number of files of rates that the plan reads. */
  readonly files: number
  /** Pairs of a provider and a code that have a price of the plan. */
  readonly pairs: readonly Pair[]
}

export interface TrialWarehouse {
  readonly catalogue: Pick<CatalogueAdmin, 'list' | 'find'>
  readonly contents: Pick<ContentsAdmin, 'readSourceRefs'>
  readonly reader: WarehouseReader
}

/** Maximum size of a plan whose files are read in whole, in bytes. */
const maxPlanBytes = 100_000_000

/** Maximum number of plans whose sizes are compared. */
const maxPlans = 50

interface LoadedPlan {
  readonly feeSchedule: FeeSchedule
  readonly sources: readonly SourceRef[]
}

/** Describes a row of a result or of a file such that equal descriptions mean the same row of the same price. */
export const keyOfRow = (ordinal: string, { negotiated_rate: rate, tin_value: tin, npi }: Row): string =>
  [ordinal, Number(rate).toFixed(4), String(tin), String(npi)].join(' ')

/**
 * Chooses the smallest loaded plan with some of its providers and codes, and reads from the files of the plan the
 * rows that a search for them must find. Nothing of the searches' own SQL takes part in it.
 *
 * @returns undefined if nothing is loaded
 * @throws CommandFailed if every plan is too large to be read here
 */
export async function chooseSearch(warehouse: TrialWarehouse): Promise<TrialSearch | undefined> {
  const plan = await chooseSmallestPlan(warehouse)
  if (plan === undefined) return undefined
  const sources: SourceRows[] = []
  for (const source of plan.sources)
    sources.push({
      prices: await readTable(warehouse.reader, priceTable, source, priceColumns),
      members: Map.groupBy(await readTable(warehouse.reader, groupTable, source, groupColumns), keyOfGroup),
    })
  const pairs = listPairs(sources)
  if (pairs.length === 0)
    throw new CommandFailed(
      `no price of ${plan.feeSchedule.payer} / ${plan.feeSchedule.plan} has a provider with an NPI: give --code`,
    )
  const npis = [...new Set(pairs.map(({ npi }) => npi))]
  const codes = [...new Set(pairs.map(({ code }) => code))]
  const expected = sources.flatMap((source) => findRows(source, npis, codes)).sort()
  const request = { npis, billing_codes: codes, fee_schedules: [plan.feeSchedule] }
  return { request, feeSchedule: plan.feeSchedule, expected, files: plan.sources.length, pairs }
}

/** Number of prices that lend the search a provider and their code. */
const searchedPrices = 20

/** A provider and a code that have a price. */
export interface Pair {
  readonly npi: number
  readonly code: string
}

/** Lists pairs of a provider and a code that have a price, spread over the files. */
function listPairs(sources: readonly SourceRows[]): readonly Pair[] {
  const prices = sources.flatMap(({ prices, members }) => prices.map((price) => ({ price, members })))
  const step = Math.max(1, Math.floor(prices.length / searchedPrices))
  return prices
    .filter((_, index) => index % step === 0)
    .flatMap(({ price, members }) => {
      const member = keysOfPrice(price)
        .flatMap((key) => members.get(key) ?? [])
        .find(({ npi }) => Number(npi) > 0)
      return member === undefined ? [] : [{ npi: Number(member['npi']), code: String(price['billing_code']) }]
    })
}

const priceColumns = ['provider_group_keys', 'billing_code_type', 'billing_code', 'negotiated_rate', 'price_ordinal']
const groupColumns = ['provider_group_key', 'npi', 'tin_value']

const keyOfGroup = (row: Row) => String(row['provider_group_key'])

const keysOfPrice = (row: Row): readonly string[] => {
  const keys = row['provider_group_keys']
  return Array.isArray(keys) ? keys.map(String) : []
}

interface SourceRows {
  readonly prices: readonly Row[]
  /** Lookup from the key of a provider group to its members. */
  readonly members: ReadonlyMap<string, readonly Row[]>
}

function findRows({ prices, members }: SourceRows, npis: readonly number[], codes: readonly string[]) {
  const isSearched = (price: Row) =>
    codes.some((code) => price['billing_code'] === searchedBillingCode(String(price['billing_code_type']), code))
  return prices.filter(isSearched).flatMap((price) =>
    keysOfPrice(price)
      .flatMap((key) => members.get(key) ?? [])
      .filter((member) => npis.includes(Number(member['npi'])))
      .map((member) => keyOfRow(String(price['price_ordinal']), { ...price, ...member })),
  )
}

async function chooseSmallestPlan({ catalogue, contents }: TrialWarehouse): Promise<LoadedPlan | undefined> {
  const active = (await listAllSearchable(catalogue)).flatMap(({ payer, plan, state }) =>
    state.status === 'active' ? [{ feeSchedule: { payer, plan }, state }] : [],
  )
  const candidates = active.toSorted((a, b) => a.state.sourceCount - b.state.sourceCount).slice(0, maxPlans)
  const plans = await Promise.all(
    candidates.map(async ({ feeSchedule, state }) => {
      const sources = await contents.readSourceRefs(state.contentId)
      const bytes = sources.reduce((sum, source) => sum + (source.bytes ?? Number.POSITIVE_INFINITY), 0)
      return { feeSchedule, sources, bytes }
    }),
  )
  const [smallest] = plans.toSorted((a, b) => a.bytes - b.bytes)
  if (smallest === undefined) return undefined
  if (smallest.bytes <= maxPlanBytes) return smallest
  throw new CommandFailed(
    `the smallest loaded plan has more than ${maxPlanBytes / 1_000_000} MB, too much to compare its rows: give --code`,
  )
}

async function readTable(
  reader: WarehouseReader,
  table: WarehouseTable,
  source: SourceRef,
  columns: readonly string[],
): Promise<readonly Row[]> {
  const unit = sourceUnit(source)
  const rows = []
  for (const path of await reader.listPaths(folderPath(table, unit) + filePrefix(unit)))
    rows.push(...(await readRows(await reader.read(path), columns)))
  return rows
}

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { estimateSearch } from '../../../core/calls/estimate-search.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { unloadStatement } from '../../../core/search/statement.ts'
import { loadNppes } from '../../../loader/nppes/load-nppes.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { localRatesLocation } from '../../../schema/columns/rates-views.ts'
import { buildFile, buildGroup, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { createMemoryJobs } from '../../doubles/memory-ports.ts'
import { createMemoryRateUsages, wideLimits } from '../../doubles/memory-usages.ts'
import { nppesLine } from '../../loader/nppes/nppes-builder.ts'
import { openAthena, present, type TestAthena } from './test-athena.ts'

const payer = 'Blue Harbor Health'
const plans = ['Gold', 'Silver', 'Bronze']
const codes = Array.from({ length: 30 }, (_, index) => String(99_200 + index))
const npis = Array.from({ length: 40 }, (_, index) => 1_000_000_000 + index)
const now = () => new Date('2026-11-20T09:30:00Z')

let warehouse: TestWarehouse
let athena: TestAthena

beforeAll(async () => {
  warehouse = await createTestWarehouse()
  athena = await openAthena({ warehouseFolder: warehouse.root })
  // Gold has a file of its own and one in common with Silver; Bronze is large beside them.
  const write = (name: string, plan: string, ownCodes: readonly string[]) => {
    const items = ownCodes.map((code) => buildItem({ billing_code: code }))
    const references = [buildReference({ provider_groups: [buildGroup({ npi: npis })] })]
    return warehouse.write(name, buildFile({ plan_name: plan, in_network: items, provider_references: references }))
  }
  const files = [
    await write('gold.json', 'Gold', codes.slice(0, 3)),
    await write('silver.json', 'Silver', codes.slice(2, 9)),
    await write('bronze.json', 'Bronze', codes),
  ]
  for (const [index, path] of files.entries()) {
    const more = index === 0 ? [await write('common.json', 'Gold', codes.slice(0, 5))] : []
    await warehouse.load({ files: [path, ...more] })
  }
})

afterAll(async () => {
  await athena.close()
  await warehouse[Symbol.asyncDispose]()
})

/** Some members of a list, or no list. */
const someOf = <Value>(values: readonly Value[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 5 }), { nil: undefined })

const anyBody = fc
  .record({
    plans: fc.uniqueArray(fc.constantFrom(...plans), { minLength: 1 }),
    npis: someOf(npis),
    codes: fc.uniqueArray(fc.constantFrom(...codes), { minLength: 1, maxLength: 5 }),
  })
  .map((choice) => ({
    fee_schedules: choice.plans.map((plan) => ({ payer, plan })),
    billing_codes: choice.codes,
    ...(choice.npis && { npis: choice.npis }),
  }))

/** Estimates a search. */
const estimate = (body: object) =>
  estimateSearch(
    {
      ...letIn({ jobs: createMemoryJobs() }),
      now,
      log: () => {},
      catalogue: warehouse.catalogue,
      contents: warehouse.contents,
      estimateUsages: createMemoryRateUsages('estimates'),
      limits: wideLimits,
    },
    ownKey,
    () => body,
  )

/** Runs the statement of a search, and returns the bytes that it read. */
async function scan(body: object): Promise<number> {
  const request = parseSearchRequest(body, [], now())
  const entries = await warehouse.catalogue.find(request.feeSchedules)
  const contents = request.feeSchedules.map(({ plan }) => {
    const { state } = present(entries.find((entry) => entry.plan === plan))
    if (state.status !== 'active') throw new Error(`${plan} is ${state.status}`)
    return state.contentId
  })
  const refs = await Promise.all([...new Set(contents)].map((id) => warehouse.contents.readSourceRefs(id)))
  const sources = [...new Map(refs.flat().map((ref) => [ref.sourceId, ref])).values()]
  const { active } = (await warehouse.contents.readNppesMonths()) ?? {}
  const scope = {
    contents,
    files: { location: localRatesLocation, sources },
    nppesMonthId: active?.nppesMonthId,
  }
  const name = createHash('sha256')
    .update(JSON.stringify([body, scope]))
    .digest('hex')
  const { Status, Statistics } = await athena.run(unloadStatement(request, scope, `s3://results/${name}/`))
  if (Status?.State !== 'SUCCEEDED') throw new Error(Status?.StateChangeReason ?? 'no reason')
  return present(Statistics?.DataScannedInBytes)
}

const expectEnough = fc.asyncProperty(anyBody, async (body) => {
  const { bytes } = await estimate(body)
  const scanned = await scan(body)
  expect(scanned).toBeGreaterThan(0)
  expect(bytes).toBeGreaterThanOrEqual(scanned)
})

describe('an estimate of a search', () => {
  it('equals the bytes that the local Athena reads if the search reads no NPPES', async () => {
    await fc.assert(expectEnough, { numRuns: 10 })
    const body = { fee_schedules: plans.map((plan) => ({ payer, plan })), billing_codes: codes }
    expect((await estimate(body)).bytes).toBe(await scan(body))
  })

  it('covers the bytes that the local Athena reads if the search reads NPPES', async () => {
    const lines = npis.map((npi) => nppesLine({ npi: String(npi), entityType: '2', organization: `Practice ${npi}` }))
    const path = await warehouse.write('npidata_pfile_20050523-20261109.csv', writeNppes(lines))
    const { folder, contents } = warehouse
    await loadNppes({ path }, { warehouse: folder, contents, newId: () => 'nppes', now })
    await fc.assert(expectEnough, { numRuns: 10 })
  })
})

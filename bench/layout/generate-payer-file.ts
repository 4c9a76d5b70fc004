import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The contents of a generated file, for searching it. */
export interface GeneratedPayer {
  readonly payer: string
  readonly plan: string
  readonly groups: number
  /** Codes in every contract. */
  readonly commonCodes: readonly string[]
  /** Codes only in the contracts of one specialty: one list per specialty. */
  readonly specialCodes: readonly (readonly string[])[]
}

/** Prime, so that a group's stride through the pool never repeats an NPI. */
const poolSize = 59_999
const largestGroup = 5_000
const maxTins = 5
const maxGroupsPerContract = 8
const specialties = 15
const codesOfSpecialty = 90
const commonCodes = ['99202', '99203', '99204', '99205', '99211', '99212', '99213', '99214', '99215', '99395']

/**
 * Writes the in-network file (schema 2.x) of one invented payer, with about this many rates (prices x NPIs). The output
 * is deterministic.
 *
 * Groups have 1 to 5,000 NPIs, spread evenly over the logarithm of their size, in 1 to 5 TINs; an NPI is in several
 * groups. One to eight groups share a contract, which has the common codes and those of one specialty, with one to
 * three prices per code by modifier and place of service.
 */
export async function generatePayerFile(path: string, rows: number): Promise<GeneratedPayer> {
  const random = createRandom(42)
  const npis = Array.from({ length: poolSize }, (_, index) => 1_000_000_000 + index * 16_000 + random(16_000))
  const contracts = drawContracts(random, rows)
  await pipeline(Readable.from(generate(random, contracts, npis)), createWriteStream(path))
  return {
    payer: root.issuer_name,
    plan: root.plan_name,
    groups: contracts.reduce((sum, { groups }) => sum + groups.length, 0),
    commonCodes,
    specialCodes,
  }
}

/** Numbers in the range of CPT, none of them a common code. */
const specialCodes = Array.from({ length: specialties }, (_, specialty) =>
  Array.from({ length: codesOfSpecialty }, (_, index) => String(10_000 + (specialty * codesOfSpecialty + index) * 61)),
)

interface Group {
  readonly id: number
  readonly size: number
}

interface Contract {
  readonly codes: ReadonlySet<string>
  /** What the contract pays, in percent of the list price. */
  readonly percent: number
  readonly groups: readonly Group[]
}

/** Draws enough contracts for about this many rows, with every price counted once per NPI. */
function drawContracts(random: Random, rows: number): readonly Contract[] {
  const contracts: Contract[] = []
  let groupCount = 0
  for (let drawn = 0; drawn < rows; ) {
    const codes = new Set([...commonCodes, ...(specialCodes[contracts.length % specialties] ?? [])])
    const groups: Group[] = []
    for (let left = 1 + random(maxGroupsPerContract); left > 0 && drawn < rows; left--) {
      const size = sizeOf(groupCount++)
      groups.push({ id: 700_000_000 + groupCount * 37, size })
      // Two prices per code on average.
      drawn += size * codes.size * 2
    }
    contracts.push({ codes, percent: 60 + random(180), groups })
  }
  return contracts
}

/** Steps of the golden ratio are spread evenly between 0 and 1, even for a few groups. */
const sizeOf = (index: number) => Math.round(largestGroup ** (1 - ((index * 0.618_033_988_75) % 1)))

function* generate(random: Random, contracts: readonly Contract[], npis: readonly number[]): Generator<string> {
  yield `${JSON.stringify(root).slice(0, -1)},"provider_references":[`
  for (const [index, group] of contracts.flatMap(({ groups }) => groups).entries()) {
    const reference = {
      provider_group_id: group.id,
      network_name: ['Harbor Choice'],
      provider_groups: tinsOf(random, group, npis),
    }
    yield (index === 0 ? '' : ',\n') + JSON.stringify(reference)
  }
  yield '],"in_network":['
  for (const [index, code] of [...commonCodes, ...specialCodes.flat()].entries()) {
    const dollars = 20 + random(3_000)
    const rates = contracts
      .filter(({ codes }) => codes.has(code))
      .map(({ percent, groups }) => ({
        provider_references: groups.map(({ id }) => id),
        negotiated_prices: pricesOf(random, dollars * percent),
      }))
    if (rates.length > 0)
      yield (index === 0 ? '' : ',\n') + JSON.stringify({ ...itemOf(code), negotiated_rates: rates })
  }
  yield ']}'
}

function tinsOf(random: Random, { size }: Group, npis: readonly number[]) {
  const [start, stride] = [random(poolSize), 1 + random(poolSize - 1)]
  const members = Array.from({ length: size }, (_, index) => npis[(start + index * stride) % poolSize])
  const tins = Math.min(size, 1 + random(maxTins))
  return Array.from({ length: tins }, (_, tin) => {
    const value = `${10 + random(80)}-${1_000_000 + random(8_999_999)}`
    return {
      npi: members.slice(Math.floor((size * tin) / tins), Math.floor((size * (tin + 1)) / tins)),
      tin: { type: 'ein', value, business_name: `Practice ${value.slice(3)}` },
    }
  })
}

function pricesOf(random: Random, cents: number) {
  const price = (share: number, more: object) => ({
    negotiated_type: 'negotiated',
    negotiated_rate: Math.round(cents * share) / 100,
    expiration_date: '9999-12-31',
    billing_class: 'professional',
    setting: 'outpatient',
    service_code: ['11'],
    ...more,
  })
  return [
    price(1, {}),
    price(0.3, { billing_code_modifier: ['26'] }),
    price(0.8, { service_code: ['21', '22'], setting: 'inpatient' }),
  ].slice(0, 1 + random(3))
}

const itemOf = (code: string) => ({
  negotiation_arrangement: 'ffs',
  name: `Service ${code}`,
  billing_code_type: 'CPT',
  billing_code_type_version: '2026',
  billing_code: code,
  description: `What is done and counted under the code ${code}`,
})

const root = {
  reporting_entity_name: 'Blue Harbor Services',
  reporting_entity_type: 'health insurance issuer',
  issuer_name: 'Blue Harbor Health',
  plan_name: 'Harbor PPO Gold',
  plan_id_type: 'hios',
  plan_id: '0123456789',
  plan_market_type: 'group',
  last_updated_on: '2026-11-01',
  version: '2.0.0',
}

type Random = (below: number) => number

/** Mulberry32: 32 bits of state and even low bits, so that `below` may be small. */
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

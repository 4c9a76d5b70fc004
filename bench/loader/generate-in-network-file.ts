import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface GeneratedShape {
  readonly megabytes: number
  /** How prices name provider groups: by reference (schema 2.x), or inline (schema 1.x) from a pool or each its own. */
  readonly groups: 'referenced' | 'shared' | 'unique'
  /** Megabytes of prices in the first item; 0 for one like the others. */
  readonly largeItem: number
}

/** Rates per ordinary item; each has one to three prices. */
const ratesPerItem = 200

/** Arrays of provider groups that many rates share. */
const pooledGroups = 3000

/** Writes an in-network file of invented prices, of about the requested size. The output is deterministic. */
export async function generateInNetworkFile(path: string, shape: GeneratedShape): Promise<void> {
  await pipeline(Readable.from(inLargeChunks(generate(shape))), createWriteStream(path))
}

function* inLargeChunks(texts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < 1 << 20) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function* generate({ megabytes, groups, largeItem }: GeneratedShape): Generator<string> {
  const random = createRandom()
  const inline = groups !== 'referenced'
  const references = Math.min(20_000, 10 + 20 * megabytes)
  const pool = groups === 'shared' ? Array.from({ length: pooledGroups }, () => groupsOf(random)) : undefined
  const providersOf = () =>
    inline
      ? { provider_groups: pool?.[random(pool.length)] ?? groupsOf(random) }
      : { provider_references: Array.from({ length: 1 + random(3) }, () => 1 + random(references)) }
  let written = 0
  const count = (text: string) => {
    written += text.length
    return text
  }
  const root = { ...rootFields, ...(inline ? { version: '1.0.0' } : { version: '2.0.0' }) }
  yield count(`${JSON.stringify(root).slice(0, -1)},"provider_references":[`)
  for (let id = 1; id <= references && !inline; id++) {
    const reference = { provider_group_id: id, network_name: ['Harbor Choice'], provider_groups: [groupOf(random, 20)] }
    yield count((id === 1 ? '' : ',') + JSON.stringify(reference))
  }
  yield count('],"in_network":[')
  for (let index = 0; written < megabytes * 1e6; index++) {
    yield count(`${index === 0 ? '' : ','}${JSON.stringify(itemOf(index)).slice(0, -1)},"negotiated_rates":[`)
    const end = index === 0 ? written + largeItem * 1e6 : 0
    for (let rate = 0; rate < ratesPerItem || written < end; rate++) {
      yield count((rate === 0 ? '' : ',') + JSON.stringify({ ...providersOf(), negotiated_prices: pricesOf(random) }))
    }
    yield count(']}')
  }
  yield ']}'
}

const rootFields = {
  reporting_entity_name: 'Blue Harbor Services',
  reporting_entity_type: 'health insurance issuer',
  issuer_name: 'Blue Harbor Health',
  plan_name: 'Harbor PPO Gold',
  plan_id_type: 'hios',
  plan_id: '0123456789',
  plan_market_type: 'group',
  last_updated_on: '2026-11-01',
}

const itemOf = (index: number) => ({
  negotiation_arrangement: 'ffs',
  name: `Item ${index}`,
  billing_code_type: 'CPT',
  billing_code_type_version: '2026',
  billing_code: String(10_000 + (index % 90_000)),
  description: `Description of item ${index}`,
})

type Random = (below: number) => number

const groupsOf = (random: Random) => Array.from({ length: 1 + random(2) }, () => groupOf(random, 10))

const pricesOf = (random: Random) => Array.from({ length: 1 + random(3) }, () => priceOf(random))

const priceOf = (random: Random) => ({
  negotiated_type: 'negotiated',
  negotiated_rate: random(1_000_000) / 100,
  expiration_date: '9999-12-31',
  billing_class: 'professional',
  setting: 'outpatient',
  service_code: ['11', '22', '19'].slice(0, 1 + random(3)),
  billing_code_modifier: random(4) === 0 ? ['26'] : [],
})

const groupOf = (random: Random, maxNpis: number) => ({
  npi: Array.from({ length: 1 + random(maxNpis) }, () => 1_000_000_000 + random(900_000_000)),
  tin: { type: 'ein', value: `${10 + random(80)}-${1_000_000 + random(8_999_999)}` },
})

/** A linear congruential generator (constants of ISO C's example), so that the file is the same on every machine. */
function createRandom(): Random {
  let state = 42
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
}
